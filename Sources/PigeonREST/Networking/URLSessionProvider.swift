#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Sends requests with an existing session, and so with its delegate, cookies and cache.
///
/// On Linux, use a session without a `URLCache`: Foundation up to 6.3 ends the process if a request is cancelled at the
/// moment at which the session reads its cache. A `URLSessionConfiguration` as networking has no such limit.
public struct URLSessionProvider: NetworkingProvider {
    /// The session. The provider never invalidates it. That is the responsibility of the session's creator.
    public let session: URLSession

    /// Creates a provider.
    public init(session: URLSession) {
        self.session = session
    }

    /// Starts a request.
    public func startRequest(
        _ request: URLRequest, completion: @escaping RequestNetworkingCompletionCallback
    ) -> any RequestNetworking {
        let task = session.dataTask(with: request) { body, head, error in
            completion(head as? HTTPURLResponse, body, error)
        }
        task.resume()
        return SessionTask(task: task)
    }
}

/// A request that a `URLSessionTask` performs. The transfer metrics are those of the task.
///
/// ```swift
/// struct SessionNetworking: RequestNetworking, SessionTaskContainer {
///     let task: URLSessionTask
///
///     func cancel() { task.cancel() }
/// }
/// ```
public protocol SessionTaskContainer {
    /// The task that performs the request.
    var task: URLSessionTask { get }
}

private struct SessionTask: RequestNetworking, SessionTaskContainer {
    let task: URLSessionTask

    func cancel() {
        task.cancel()
    }
}

extension SessionTaskContainer {
    /// The numbers of bytes that the task has counted.
    public var transferMetrics: RequestTransferMetrics {
        RequestTransferMetrics(
            requestBytesSent: task.countOfBytesSent, requestBytesTotal: known(task.countOfBytesExpectedToSend),
            responseBytesReceived: task.countOfBytesReceived,
            responseBytesTotal: known(task.countOfBytesExpectedToReceive))
    }

    /// Returns `nil` for −1, which a task reports for an unknown size. An empty body has size 0.
    private func known(_ count: Int64) -> Int64? { count < 0 ? nil : count }
}
