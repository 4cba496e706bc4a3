public import Foundation
internal import PigeonCore

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

extension ResourceState {
    /// The same state with other content.
    ///
    /// - Parameter transform: Makes the content. Not called where there is none.
    public func map<Other>(transform: (T) throws -> Other) rethrows -> ResourceState<Other> {
        with(try content.map(transform), latestError)
    }

    /// The same state with other content; or, where `transform` throws, with none and the error instead.
    ///
    /// An error that the resource itself has goes before: what could not be transformed may be no more than the
    /// consequence. A `RequestError` is kept as it is; any other becomes the cause of one.
    ///
    /// - Parameter transform: Makes the content. Not called where there is none.
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
    /// The state of a resource that is loaded, for previews and tests.
    ///
    /// - Parameter content: What is already there to be shown meanwhile.
    public static func fakeLoading(_ content: T? = nil) -> ResourceState {
        ResourceState(
            content: content, latestError: nil, isLoading: true, isRequesting: true, latestEvent: .requested)
    }

    /// The state of a resource whose load failed, for previews and tests.
    ///
    /// - Parameter content: What was there before, and still is.
    public static func fakeFailure(_ error: RequestError, content: T? = nil) -> ResourceState {
        ResourceState(
            content: content, latestError: error, isLoading: false, isRequesting: false, latestEvent: .error)
    }

    /// The state of a resource that was loaded, for previews and tests.
    public static func fake(_ content: T) -> ResourceState {
        ResourceState(
            content: content, latestError: nil, isLoading: false, isRequesting: false,
            latestEvent: .newData(.network), isUpToDate: true)
    }
}

extension Resource {
    /// What the resource is at now, its content as a type. Loads nothing.
    ///
    /// Content of another type is no content, and a ``RequestError/Cause/WrongContentType`` in place of the error, unless
    /// there is a real one.
    public func state<T>(as type: T.Type = T.self) -> ResourceState<T> {
        state(of: Happening(event: .observerAdded, picture: picture))
    }

    /// What the resource was at when something happened.
    func state<T>(of happening: Happening) -> ResourceState<T> {
        let picture = happening.picture
        let entity = picture?.entity
        var content: T?
        var error = picture?.requestError
        do {
            content = try entity?.content(as: T.self, at: url)
        } catch let mismatch {
            SiestaLog.log(.pipeline, "\(self): \(mismatch)")
            error = error ?? mismatch
        }
        let times = [entity?.timestamp, picture?.requestError?.timestamp].compactMap { $0 }
        return ResourceState(
            content: content, latestError: error, isLoading: picture.map { $0.activity != .idle } ?? false,
            isRequesting: isRequesting, latestEvent: happening.event, timestamp: times.max(), isUpToDate: isUpToDate)
    }
}

extension RequestError {
    /// Whether a person would see the same: the same message and status code, from a cause of the same type.
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
