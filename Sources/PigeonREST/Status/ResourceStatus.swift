/// The status of one or more resources, for display in a user interface.
///
/// ```swift
/// switch ResourceStatus.of([user.statusPart, repositories.statusPart], priority: .standard) {
/// case .loading: showSpinner()
/// case .content, .nothing: hideOverlay()
/// case .failure(let error, _, let canRetry): show(error.userMessage, canRetry ? retryButton : nil)
/// }
/// ```
public enum ResourceStatus: Sendable {
    /// A resource is being loaded.
    case loading
    /// There is content to show. An overlay should be hidden.
    case content
    /// A load failed. Carries the error, the index of the resource, and whether it can be loaded again.
    case failure(RequestError, index: Int, canRetry: Bool)
    /// No rule applies. An overlay should be hidden.
    case nothing

    /// True in the states ``content`` and ``nothing``, in which an overlay should be hidden.
    public var isHidden: Bool {
        switch self {
        case .content, .nothing: true
        case .loading, .failure: false
        }
    }

    /// The error of ``failure(_:index:canRetry:)``. `nil` in other states.
    public var error: RequestError? {
        if case .failure(let error, _, _) = self { error } else { nil }
    }
}

extension ResourceStatus {
    /// The properties of one resource that determine the status.
    public struct Part: Sendable {
        /// True if the resource is being loaded.
        public var isLoading: Bool
        /// True if the resource has content.
        public var hasContent: Bool
        /// The error of the last load.
        public var latestError: RequestError?
        /// True if the resource can be loaded again.
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

    /// Returns the combined status of resources.
    ///
    /// - Parameters:
    ///   - parts: The properties of each resource.
    ///   - priority: The rules. The first rule that applies decides.
    ///   - isManualLoading: True if a load that the user started is in flight.
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
    /// Compares two statuses. Two errors count as equal if they look the same to the user: they have the same message
    /// and status code, and causes of the same type.
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
    /// Returns the status if the rule applies, otherwise `nil`.
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

/// A rule for the status of resources. The first rule of a list that applies decides.
///
/// ```swift
/// overlay.displayPriority = [.anyData, .loading, .error]  // content is shown whenever there is any
/// ```
public enum StatusRule: String, Sendable, CaseIterable {
    /// Shows that content is loading, if any resource is being loaded.
    case loading
    /// Shows that content is loading, if a load that the user started is in flight. See
    /// ``StatusOverlay/trackManualLoad(_:)``.
    case manualLoading
    /// Shows the content, if any resource has content.
    case anyData
    /// Shows the content, if all resources have content.
    case allData
    /// Always shows the content, even if there is none.
    case alwaysData
    /// Shows the error of the first resource that has one.
    case error
}

extension [StatusRule] {
    /// Loads first, then errors, then content, so an overlay covers existing content during a reload. The default of
    /// an overlay.
    public static let loadingFirst: [StatusRule] = [.loading, .error, .anyData]
    /// Content first, regardless of loads and errors.
    public static let standard: [StatusRule] = [.anyData, .loading, .error]
    /// Same as ``standard``, without errors.
    public static let noError: [StatusRule] = [.anyData, .loading]
    /// Only content. Ignores loads and errors.
    public static let dataOnly: [StatusRule] = [.anyData]
}
