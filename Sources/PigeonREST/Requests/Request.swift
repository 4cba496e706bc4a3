internal import PigeonBase

/// A request to a server, or to whatever a ``RequestDelegate`` asks: not started, under way, or over.
///
/// ```swift
/// resource.request(.post, json: ["name": "Ann"])
///     .onSuccess { entity in print(entity.text) }
///     .onFailure { error in print(error.userMessage) }
/// ```
///
/// Hooks are called once each, in the order they were attached, on the actor they were written on; those that were written on
/// no actor are called on the main actor, unless the service says otherwise (``Service/callbacks``). They are never called
/// within the call that ends the request. One that is attached late is called all the same. All functions may be used from any thread. To make requests of your own kind, write a ``RequestDelegate``.
public protocol Request: AnyObject, Sendable {
    /// Calls back when the request is over, however it ended.
    @discardableResult
    func onCompletion(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (ResponseInfo) -> Void
    ) -> any Request

    /// Calls back with what was received, whether or not it is new.
    @discardableResult
    func onSuccess(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Entity<any Sendable>) -> Void
    ) -> any Request

    /// Calls back with what was received, if it is new.
    @discardableResult
    func onNewData(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Entity<any Sendable>) -> Void
    ) -> any Request

    /// Calls back when the server said that what is there is still right.
    @discardableResult
    func onNotModified(@_inheritActorContext _ callback: @escaping @isolated(any) @Sendable () -> Void) -> any Request

    /// Calls back with what went wrong, cancellation included.
    @discardableResult
    func onFailure(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (RequestError) -> Void
    ) -> any Request

    /// Calls back with how far the request has come, 0 to 1, as long as it runs; with 1 at the end.
    @discardableResult
    func onProgress(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Double) -> Void
    ) -> any Request

    /// Begins the request, unless it was begun.
    @discardableResult
    func start() -> any Request

    /// How far along it is. It is over before its hooks are called.
    var state: RequestState { get }

    /// How far it has come, 0 to 1. It never goes back.
    var progress: Double { get }

    /// Ends the request: it fails with ``RequestError/Cause/RequestCancelled``. One that is over stays as it is.
    func cancel()

    /// A new request that asks for the same, not started, without hooks.
    func repeated() -> any Request
}

/// How far along a request is.
public enum RequestState: Sendable, Hashable {
    /// Nobody has started it.
    case notStarted
    /// It was started.
    case inProgress
    /// It is over: its response is known.
    case completed
}

extension Request {
    /// Whether the request is over.
    public var isCompleted: Bool { state == .completed }

    /// Where closures that were written on no actor are called.
    var home: CallbackDelivery { (self as? LiveRequest)?.surroundings.callbacks ?? .main }

    /// Starts the request and waits for its end. Cancelling the task cancels the request.
    public func response() async -> ResponseInfo {
        let outcome = Outcome()
        if let live = self as? LiveRequest {
            live.followLate { outcome.set($0) }
        } else {
            onCompletion { outcome.set($0) }
        }
        start()
        return await outcome.value { self.cancel() }
    }

    /// Starts the request and waits for what it brings. Cancelling the task cancels the request.
    ///
    /// - Throws: ``RequestError``.
    public func entity() async throws(RequestError) -> Entity<any Sendable> {
        try await response().response.get()
    }

    /// Starts the request and waits for what it brings, as a type.
    ///
    /// - Throws: ``RequestError``; with ``RequestError/Cause/WrongContentType`` when the content is of another type.
    public func content<T>(as type: T.Type = T.self) async throws(RequestError) -> T {
        try await entity().content(as: type)
    }
}

/// The response of a request, for the task that awaits it.
private final class Outcome: @unchecked Sendable {  // `info` is set before the latch opens, and read after that
    private let latch = Latch()
    private var info: ResponseInfo?

    func set(_ info: ResponseInfo) {
        latch.open { self.info = info }
    }

    /// Waits for the response. Does not suspend if there is one, so that the caller stays on its actor.
    func value(onCancel: @escaping @Sendable () -> Void) async -> ResponseInfo {
        await latch.wait(onCancel: onCancel)
        return info ?? ResponseInfo(response: .failure(.cancelled(nil)))
    }
}

/// What a server is asked to do with a resource. The raw values are the names in small letters: `"get"`.
public enum RequestMethod: String, CaseIterable, Sendable {
    /// Say what may be done.
    case options
    /// Say what it is.
    case get
    /// Say what it is, without the body.
    case head
    /// Take something new.
    case post
    /// Take this in its place.
    case put
    /// Change it in part.
    case patch
    /// Remove it.
    case delete
}

extension RequestMethod {
    /// The name that is sent: `"GET"`.
    var httpName: String { rawValue.uppercased() }
}
