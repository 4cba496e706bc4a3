/// What a user interface is to show of one or more resources.
///
/// ```swift
/// switch ResourceStatus.of([user.statusPart, repositories.statusPart], priority: .standard) {
/// case .loading: showSpinner()
/// case .content, .nothing: hideOverlay()
/// case .failure(let error, _, let canRetry): show(error.userMessage, canRetry ? retryButton : nil)
/// }
/// ```
public enum ResourceStatus: Sendable {
    /// Something is loaded.
    case loading
    /// There is content to show; an overlay hides.
    case content
    /// A load failed: the error, which of the resources has it, and whether it can be loaded again.
    case failure(RequestError, index: Int, canRetry: Bool)
    /// No rule applies: there is nothing to show, and nothing to say. An overlay hides.
    case nothing

    /// Whether an overlay has nothing to show.
    public var isHidden: Bool {
        switch self {
        case .content, .nothing: true
        case .loading, .failure: false
        }
    }

    /// The error in ``failure(_:index:canRetry:)``; `nil` otherwise.
    public var error: RequestError? {
        if case .failure(let error, _, _) = self { error } else { nil }
    }
}

extension ResourceStatus {
    /// What of one resource decides.
    public struct Part: Sendable {
        /// Whether it is loaded.
        public var isLoading: Bool
        /// Whether it has content.
        public var hasContent: Bool
        /// Why its last load failed.
        public var latestError: RequestError?
        /// Whether it can be loaded again.
        public var canReload: Bool

        /// Creates a part.
        public init(
            isLoading: Bool = false, hasContent: Bool = false, latestError: RequestError? = nil, canReload: Bool = true
        ) {
            self.isLoading = isLoading
            self.hasContent = hasContent
            self.latestError = latestError
            self.canReload = canReload
        }
    }

    /// The status of some resources.
    ///
    /// - Parameters:
    ///   - parts: What decides, of each resource.
    ///   - priority: The rules: the first that applies decides.
    ///   - isManualLoading: Whether a load is under way that a person asked for.
    public static func of(
        _ parts: [Part], priority: [StatusRule] = .loadingFirst, isManualLoading: Bool = false
    ) -> ResourceStatus {
        for rule in priority {
            if let status = rule.status(of: parts, isManualLoading: isManualLoading) { return status }
        }
        return .nothing
    }
}

extension ResourceStatus: Equatable {
    /// Errors count as equal when a person would see the same: the same message and status code, from a cause of the
    /// same type.
    public static func == (a: ResourceStatus, b: ResourceStatus) -> Bool {
        switch (a, b) {
        case (.loading, .loading), (.content, .content), (.nothing, .nothing): true
        case (.failure(let a, let aIndex, let aCanRetry), .failure(let b, let bIndex, let bCanRetry)):
            a.isSame(as: b) && aIndex == bIndex && aCanRetry == bCanRetry
        default: false
        }
    }
}

extension StatusRule {
    /// The status, if the rule applies.
    fileprivate func status(of parts: [ResourceStatus.Part], isManualLoading: Bool) -> ResourceStatus? {
        switch self {
        case .loading: parts.contains(where: \.isLoading) ? .loading : nil
        case .manualLoading: isManualLoading ? .loading : nil
        case .anyData: parts.contains(where: \.hasContent) ? .content : nil
        case .allData: parts.allSatisfy(\.hasContent) && !parts.isEmpty ? .content : nil
        case .alwaysData: .content
        case .error: firstFailure(in: parts)
        }
    }

    private func firstFailure(in parts: [ResourceStatus.Part]) -> ResourceStatus? {
        for (index, part) in parts.enumerated() {
            if let error = part.latestError { return .failure(error, index: index, canRetry: part.canReload) }
        }
        return nil
    }
}

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
