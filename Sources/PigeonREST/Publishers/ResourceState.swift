public import Foundation

/// What a resource is at, at one moment.
///
/// ```swift
/// for await state in api.user("ann").states {
///     show(state.content, isBusy: state.isLoading, problem: state.latestError?.userMessage)
/// }
/// ```
///
/// All fields are of the same moment: the one right after ``latestEvent``.
public struct ResourceState<T> {
    /// The resource's content, when there is one of the type that was asked for. Stays while it is loaded again.
    public let content: T?
    /// Why the last load failed, or why the content could not be had as a `T`. `nil` after a load that succeeded.
    public let latestError: RequestError?
    /// Whether a load is under way.
    public let isLoading: Bool
    /// Whether any request is under way, load or not.
    public let isRequesting: Bool
    /// What happened to bring the resource here.
    public let latestEvent: ResourceEvent
    /// When content or error were last known to be right, in seconds since 2001. `nil` when nothing is known.
    public let timestamp: TimeInterval?
    /// Whether `loadIfNeeded()` would have nothing to load.
    public let isUpToDate: Bool

    /// Creates a state. `timestamp` is in seconds since 2001.
    public init(
        content: T?, latestError: RequestError?, isLoading: Bool, isRequesting: Bool, latestEvent: ResourceEvent,
        timestamp: TimeInterval? = nil, isUpToDate: Bool = false
    ) {
        self.content = content
        self.latestError = latestError
        self.isLoading = isLoading
        self.isRequesting = isRequesting
        self.latestEvent = latestEvent
        self.timestamp = timestamp
        self.isUpToDate = isUpToDate
    }
}

extension ResourceState: Sendable where T: Sendable {}

extension ResourceState: Equatable where T: Equatable {
    /// Two states are equal when all they say is. Errors count as equal when a person would see the same: the same
    /// message and status code, from a cause of the same type.
    public static func == (a: ResourceState, b: ResourceState) -> Bool {
        a.content == b.content && RequestError.areSame(a.latestError, b.latestError) && a.isLoading == b.isLoading
            && a.isRequesting == b.isRequesting && a.latestEvent == b.latestEvent && a.timestamp == b.timestamp
            && a.isUpToDate == b.isUpToDate
    }
}
