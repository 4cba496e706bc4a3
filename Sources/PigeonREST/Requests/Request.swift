internal import PigeonBase

/// A request to a server, or another operation that a ``RequestDelegate`` performs.
///
/// ```swift
/// resource.request(.post, json: ["name": "Ann"])
///     .onSuccess { entity in print(entity.text) }
///     .onFailure { error in print(error.userMessage) }
/// ```
///
/// Hooks run on the actor on which they were written. Those without an actor run on the main actor, unless the service
/// specifies otherwise (``Service/callbacks``). Hooks for the response run once each, in the order in which they were
/// attached, even if they are attached after the request has completed. No hook runs within the call that completes the
/// request.
///
/// All functions can be called from any thread. For custom operations, implement a ``RequestDelegate``.
public protocol Request: AnyObject, ManualLoad {
    /// Calls `callback` when the request has succeeded, failed or been cancelled.
    @discardableResult
    func onCompletion(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (ResponseInfo) -> Void
    ) -> any Request

    /// Calls `callback` with the received entity, even if it is not new.
    @discardableResult
    func onSuccess(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Entity<any Sendable>) -> Void
    ) -> any Request

    /// Calls `callback` with the received entity if it is new.
    @discardableResult
    func onNewData(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Entity<any Sendable>) -> Void
    ) -> any Request

    /// Calls `callback` if the server confirmed that the existing content is still current.
    @discardableResult
    func onNotModified(@_inheritActorContext _ callback: @escaping @isolated(any) @Sendable () -> Void) -> any Request

    /// Calls `callback` with the error if the request has failed or been cancelled.
    @discardableResult
    func onFailure(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (RequestError) -> Void
    ) -> any Request

    /// Calls `callback` with the progress, from 0 to 1, while the request is in progress, and with 1 at the end.
    @discardableResult
    func onProgress(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (Double) -> Void
    ) -> any Request

    /// Starts the request. Does nothing if it has been started before.
    @discardableResult
    func start() -> any Request

    /// The state of the request. It is ``RequestState/completed`` before the hooks for the response run.
    var state: RequestState { get }

    /// The progress of the request, from 0 to 1. It never decreases.
    var progress: Double { get }

    /// Cancels the request, which then fails with ``RequestError/Cause/RequestCancelled``. Does nothing if the request
    /// has already completed.
    func cancel()

    /// Returns a new request for the same operation. It has not been started, and has no hooks.
    func repeated() -> any Request
}

/// The state of a request.
public enum RequestState: Sendable, Hashable {
    /// The request has not been started.
    case notStarted
    /// The request has been started, and has not completed.
    case inProgress
    /// The request has completed. Its response is known.
    case completed
}

extension Request {
    /// True if the request has completed.
    public var isCompleted: Bool { state == .completed }

    /// The place where closures without an actor are called.
    var home: CallbackDelivery { (self as? LiveRequest)?.surroundings.callbacks ?? .main }

    /// Starts the request and waits for its response. Cancelling the task cancels the request.
    public func response() async -> ResponseInfo {
        let info = SharedOneShot<ResponseInfo>()
        followLate { info.resolve(.success($0)) }
        start()
        // There is no failure: a request that is cancelled has a response, too.
        let response = try? await info.value(onCancel: .calls { self.cancel() })
        return response ?? ResponseInfo(response: .failure(.cancelled(nil)))
    }

    /// Starts the request and waits for the received entity. Cancelling the task cancels the request.
    ///
    /// - Throws: ``RequestError``.
    public func entity() async throws(RequestError) -> Entity<any Sendable> {
        try await response().response.get()
    }

    /// Starts the request and waits for the received content, as a type.
    ///
    /// - Throws: ``RequestError``. Its cause is ``RequestError/Cause/WrongContentType`` if the content has another
    ///   type.
    public func content<T>(as type: T.Type = T.self) async throws(RequestError) -> T {
        try await entity().content(as: type)
    }
}

/// Another name of ``Request``, which no type of `PigeonHTTP` has. Use it where both modules are imported.
public typealias ResourceRequest = Request

/// An HTTP request method. The raw values are the names in lowercase, such as `"get"`.
public enum RequestMethod: String, CaseIterable, Codable, Sendable {
    /// Requests the operations that the resource supports.
    case options
    /// Requests the content.
    case get
    /// Requests the headers that a GET request would return, without the content.
    case head
    /// Sends something new, such as an item of a list.
    case post
    /// Replaces the content.
    case put
    /// Changes a part of the content.
    case patch
    /// Deletes the resource.
    case delete
}

extension RequestMethod {
    /// The name that is sent to the server, such as `"GET"`.
    var httpName: String { rawValue.uppercased() }
}
