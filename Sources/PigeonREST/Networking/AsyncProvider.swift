package import Foundation
internal import PigeonBase
package import PigeonHTTP

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// Carries requests by something that is awaited.
package struct AsyncProvider: NetworkingProvider {
    private let send: @Sendable (TransportRequest, @escaping TransferReport) async throws(HTTPError) -> Answer

    package typealias Answer = (head: HTTPURLResponse, body: Data?)

    package init(
        send: @escaping @Sendable (TransportRequest, @escaping TransferReport) async throws(HTTPError) -> Answer
    ) {
        self.send = send
    }

    package func startRequest(
        _ request: URLRequest, completion: @escaping RequestNetworkingCompletionCallback
    ) -> any RequestNetworking {
        let exchange = AsyncExchange()
        let task = launchImmediately { [send] in
            do throws(HTTPError) {
                let (head, body) = try await send(try exchange.prepare(request)) { exchange.note($0) }
                completion(head, body, nil)
            } catch {
                completion(nil, nil, error.underlying)
            }
        }
        exchange.task.withLock { $0 = task }
        return exchange
    }
}

/// A request under way.
private final class AsyncExchange: RequestNetworking {
    let task = Locked<Task<Void, Never>?>(nil)
    private let metrics = Locked(RequestTransferMetrics())

    var transferMetrics: RequestTransferMetrics { metrics.withLock { $0 } }

    func prepare(_ request: URLRequest) throws(HTTPError) -> TransportRequest {
        try TransportRequest(sending: request)
    }

    func note(_ progress: TransferProgress) {
        metrics.withLock {
            $0 = RequestTransferMetrics(
                requestBytesSent: progress.sent, requestBytesTotal: progress.expectedToSend,
                responseBytesReceived: progress.received, responseBytesTotal: progress.expectedToReceive)
        }
    }

    func cancel() {
        task.withLock { $0 }?.cancel()
    }
}
