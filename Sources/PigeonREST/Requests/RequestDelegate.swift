public import Foundation
internal import PigeonBase
internal import PigeonCore

/// What a request of your own kind does: how it asks, and how it is ended.
///
/// ```swift
/// struct TokenRefresh: RequestDelegate {
///     let session: Session
///
///     func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
///         session.refresh { completionHandler.broadcastResponse(ResponseInfo(response: $0)) }
///     }
///     func cancelUnderlyingOperation() { session.cancelRefresh() }
///     func repeated() -> any RequestDelegate { self }
/// }
///
/// let request = Resource.prepareRequest(using: TokenRefresh(session: session)).start()
/// ```
public protocol RequestDelegate: Sendable {
    /// Begins to ask, and tells the handler of the response when it is there. Called once, on any thread. The handler may
    /// be told within this call.
    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler)

    /// Ends what was begun, once the call that began it has returned. The request has failed as cancelled by then; what the
    /// handler is told later is ignored.
    func cancelUnderlyingOperation()

    /// A delegate that asks for the same again.
    func repeated() -> any RequestDelegate

    /// How far the request has come, 0 to 1. By default 0.
    func computeProgress() -> Double

    /// How often to ask for the progress, in seconds. By default 0.05.
    var progressReportingInterval: TimeInterval { get }

    /// What the request is, for logs.
    var requestDescription: String { get }
}

extension RequestDelegate {
    /// Nothing is known.
    public func computeProgress() -> Double { 0 }

    /// Twenty times a second.
    public var progressReportingInterval: TimeInterval { 0.05 }

    /// The type's name.
    public var requestDescription: String { String(describing: Self.self) }
}

/// Takes the response of a request, once.
public protocol RequestCompletionHandler: Sendable {
    /// Ends the request with a response. Does nothing when it has one.
    func broadcastResponse(_ newInfo: ResponseInfo)

    /// Whether a response would be ignored, because there is one already.
    func willIgnore(_ responseInfo: ResponseInfo) -> Bool
}

/// Brings the value of a query.
final class QueryFetch<Value: Sendable>: RequestDelegate {
    private let definition: QueryDefinition<Value>
    private let client: QueryClient
    private let task = Locked<Task<Void, Never>?>(nil)

    init(definition: QueryDefinition<Value>, client: QueryClient) {
        self.definition = definition
        self.client = client
    }

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        let new = launchImmediately { [definition, client] in
            completionHandler.broadcastResponse(ResponseInfo(response: await Self.response(definition, client)))
        }
        task.withLock { $0 = new }
    }

    private static func response(_ definition: QueryDefinition<Value>, _ client: QueryClient) async -> Response {
        do {
            let value = try await client.fetch(definition)
            return .success(Entity(content: value, contentType: "application/octet-stream"))
        } catch {
            return .failure(RequestError(error))
        }
    }

    func cancelUnderlyingOperation() {
        task.withLock { $0 }?.cancel()
    }

    func repeated() -> any RequestDelegate {
        QueryFetch(definition: definition, client: client)
    }

    var requestDescription: String { "query \(definition.key)" }
}
