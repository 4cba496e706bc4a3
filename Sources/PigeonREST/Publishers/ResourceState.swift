public import Foundation
internal import PigeonCore

/// The state of a resource at one point in time.
///
/// ```swift
/// for await state in api.user("ann").states {
///     show(state.content, isBusy: state.isLoading, problem: state.latestError?.userMessage)
/// }
/// ```
///
/// All properties are from the same point in time, right after ``latestEvent``.
public struct ResourceState<T> {
    /// The content of the resource, if it has the requested type. Stays while the resource is loaded again.
    public let content: T?
    /// The error of the last load, or of content that is not a `T`. `nil` after a load that succeeded.
    public let latestError: RequestError?
    /// True if a load is in flight.
    public let isLoading: Bool
    /// True if any request is in flight, including loads that can change the content.
    public let isRequesting: Bool
    /// The event that led to this state.
    public let latestEvent: ResourceEvent
    /// The time at which the content was last known to be valid, or at which a load failed, whichever is later. In
    /// seconds since 2001. `nil` if there is neither.
    public let timestamp: TimeInterval?
    /// True if `loadIfNeeded()` would have nothing to load.
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
    /// Returns true if all properties are equal. Errors count as equal if they look the same to the user: the same
    /// message and status code, and a cause of the same type.
    public static func == (a: ResourceState, b: ResourceState) -> Bool {
        a.content == b.content && RequestError.areSame(a.latestError, b.latestError) && a.isLoading == b.isLoading
            && a.isRequesting == b.isRequesting && a.latestEvent == b.latestEvent && a.timestamp == b.timestamp
            && a.isUpToDate == b.isUpToDate
    }
}

extension ResourceState {
    /// Returns the same state with other content.
    ///
    /// - Parameter transform: Returns the new content. Not called if there is no content.
    public func map<Other>(transform: (T) throws -> Other) rethrows -> ResourceState<Other> {
        with(try content.map(transform), latestError)
    }

    /// Returns the same state with other content. If `transform` throws, returns it without content and with the error.
    ///
    /// An error of the resource itself takes precedence, because the failed transform may only be its consequence. A
    /// thrown ``RequestError`` is used unchanged. Any other error becomes the cause of one.
    ///
    /// - Parameter transform: Returns the new content. Not called if there is no content.
    public func tryMap<Other>(transform: (T) throws -> Other) -> ResourceState<Other> {
        do {
            return try map(transform: transform)
        } catch {
            return with(nil, latestError ?? RequestError(ofTransform: error))
        }
    }

    private func with<Other>(_ content: Other?, _ error: RequestError?) -> ResourceState<Other> {
        ResourceState<Other>(
            content: content, latestError: error, isLoading: isLoading, isRequesting: isRequesting,
            latestEvent: latestEvent, timestamp: timestamp, isUpToDate: isUpToDate)
    }
}

extension ResourceState {
    /// Returns the state of a resource that is being loaded, for previews and tests.
    ///
    /// - Parameter content: The content to show during the load.
    public static func fakeLoading(_ content: T? = nil) -> ResourceState {
        ResourceState(
            content: content, latestError: nil, isLoading: true, isRequesting: true, latestEvent: .requested)
    }

    /// Returns the state of a resource whose load has failed, for previews and tests.
    ///
    /// - Parameters:
    ///   - error: The error of the load.
    ///   - content: The content from before the failure, which is still shown.
    public static func fakeFailure(_ error: RequestError, content: T? = nil) -> ResourceState {
        ResourceState(
            content: content, latestError: error, isLoading: false, isRequesting: false, latestEvent: .error)
    }

    /// Returns the state of a resource that has been loaded, for previews and tests.
    public static func fake(_ content: T) -> ResourceState {
        ResourceState(
            content: content, latestError: nil, isLoading: false, isRequesting: false,
            latestEvent: .newData(.network), isUpToDate: true)
    }
}

extension Resource {
    /// Returns the current state of the resource, with its content as a type. Loads nothing.
    ///
    /// Content of another type counts as missing. The error is then a ``RequestError/Cause/WrongContentType``, unless
    /// the last load has failed.
    public func state<T>(as type: T.Type = T.self) -> ResourceState<T> {
        state(of: present(as: .observerAdded))
    }

    /// Returns the state of the resource at an event. Reads nothing that may have changed since then.
    func state<T>(of eventRecord: EventRecord) -> ResourceState<T> {
        let entryState = eventRecord.entryState
        let entity = entryState?.entity
        var content: T?
        var error = entryState?.requestError
        do {
            content = try entity?.content(as: T.self, at: url)
        } catch let mismatch {
            SiestaLog.log(.pipeline, "\(self): \(mismatch)")
            error = error ?? mismatch
        }
        let updateStatus = entryState?.updateStatus(by: freshnessOptions)
        let isLoading = updateStatus?.isFetching ?? false
        let times = [entity?.timestamp, entryState?.requestError?.timestamp].compactMap { $0 }
        return ResourceState(
            content: content, latestError: error, isLoading: isLoading,
            isRequesting: isLoading || eventRecord.hasOtherRequests, latestEvent: eventRecord.event,
            timestamp: times.max(), isUpToDate: updateStatus?.isUpToDate ?? false)
    }
}

extension RequestError {
    /// Returns true if both errors look the same to the user: the same message and status code, and a cause of the same
    /// type.
    static func areSame(_ a: RequestError?, _ b: RequestError?) -> Bool {
        switch (a, b) {
        case (nil, nil): true
        case (let a?, let b?): a.isSame(as: b)
        default: false
        }
    }

    func isSame(as other: RequestError) -> Bool {
        userMessage == other.userMessage && httpStatusCode == other.httpStatusCode
            && cause.map { ObjectIdentifier(type(of: $0)) } == other.cause.map { ObjectIdentifier(type(of: $0)) }
    }
}
