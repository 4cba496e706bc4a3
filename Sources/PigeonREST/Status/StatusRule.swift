/// One thing that the status of resources can depend on. The first rule of a list that applies decides.
///
/// ```swift
/// overlay.displayPriority = [.anyData, .loading, .error]  // what is there is shown, whatever goes on
/// ```
public enum StatusRule: String, Sendable, CaseIterable {
    /// Shows that something is loaded, if any resource is.
    case loading
    /// Shows that something is loaded, if a person asked for that: see ``StatusOverlay/trackManualLoad(_:)-(ManualLoad)``.
    case manualLoading
    /// Shows the content, if any resource has some.
    case anyData
    /// Shows the content, if each resource has some.
    case allData
    /// Shows the content, such as it is.
    case alwaysData
    /// Shows the error of the first resource that has one.
    case error
}

extension [StatusRule] {
    /// Loading first, then errors, then content: content hides while it is loaded again. What an overlay begins with.
    public static let loadingFirst: [StatusRule] = [.loading, .error, .anyData]
    /// Content as soon as there is some, whatever else goes on.
    public static let standard: [StatusRule] = [.anyData, .loading, .error]
    /// As ``standard``, without errors.
    public static let noError: [StatusRule] = [.anyData, .loading]
    /// Content, and nothing of loads and errors.
    public static let dataOnly: [StatusRule] = [.anyData]
}
