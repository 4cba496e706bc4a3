public import Foundation
internal import PigeonBase
internal import PigeonCore

/// Performs the operation of a custom request.
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
    /// Starts the operation, and passes its response to the handler. Called once, on any thread. The response may be
    /// passed before this call returns.
    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler)

    /// Cancels the operation. Called after ``startUnderlyingOperation(passingResponseTo:)`` has returned. By then, the
    /// request has failed with a cancellation error, and further responses are ignored.
    func cancelUnderlyingOperation()

    /// Returns a delegate that performs the same operation again.
    func repeated() -> any RequestDelegate

    /// Returns the progress of the operation, from 0 to 1. The default returns 0.
    func computeProgress() -> Double

    /// The interval at which the progress is computed, in seconds. The default is 0.05.
    var progressReportingInterval: TimeInterval { get }

    /// A description of the request for logs. The default is the name of the type.
    var requestDescription: String { get }
}

extension RequestDelegate {
    /// The default returns 0.
    public func computeProgress() -> Double { 0 }

    /// The default is 0.05 seconds.
    public var progressReportingInterval: TimeInterval { 0.05 }

    /// The default is the name of the type.
    public var requestDescription: String { String(describing: Self.self) }
}

/// Receives the response of a request, once.
public protocol RequestCompletionHandler: Sendable {
    /// Completes the request with a response. Does nothing if the request already has one.
    func broadcastResponse(_ newInfo: ResponseInfo)

    /// Returns true if a response would be ignored, because the request already has one.
    func willIgnore(_ responseInfo: ResponseInfo) -> Bool
}

final class QueryFetch<Value: Sendable>: RequestDelegate {
    private let definition: QueryDefinition<Value>
    private let client: QueryClient
    private let task = TaskHandle()

    init(definition: QueryDefinition<Value>, client: QueryClient) {
        self.definition = definition
        self.client = client
    }

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        let new = launchImmediately { [definition, client] in
            completionHandler.broadcastResponse(ResponseInfo(response: await Self.response(definition, client)))
        }
        task.hold(new)
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
        task.cancel()
    }

    func repeated() -> any RequestDelegate {
        QueryFetch(definition: definition, client: client)
    }

    var requestDescription: String { "query \(definition.key)" }
}
