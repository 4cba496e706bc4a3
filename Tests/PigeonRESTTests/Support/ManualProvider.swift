import Foundation
import PigeonBase
import PigeonREST

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A networking provider without a network. The test answers each request, on a thread of its choice.
final class ManualProvider: NetworkingProvider {
    private let started = Locked<[ManualExchange]>([])

    /// The requests so far, in order.
    var exchanges: [ManualExchange] { started.withLock { $0 } }

    var last: ManualExchange? { exchanges.last }

    func startRequest(
        _ request: URLRequest, completion: @escaping RequestNetworkingCompletionCallback
    ) -> any RequestNetworking {
        let exchange = ManualExchange(request, completion)
        started.withLock { $0.append(exchange) }
        return exchange
    }
}

/// A request that the provider was asked to send.
final class ManualExchange: RequestNetworking {
    let request: URLRequest
    private let completion: RequestNetworkingCompletionCallback
    private let cancelled = Locked(false)
    private let metrics = Locked(RequestTransferMetrics())

    init(_ request: URLRequest, _ completion: @escaping RequestNetworkingCompletionCallback) {
        self.request = request
        self.completion = completion
    }

    var isCancelled: Bool { cancelled.withLock { $0 } }

    func cancel() {
        cancelled.withLock { $0 = true }
    }

    var transferMetrics: RequestTransferMetrics {
        get { metrics.withLock { $0 } }
        set { metrics.withLock { $0 = newValue } }
    }

    func answer(_ text: String, status: Int = 200, headers: [String: String] = [:]) {
        var headers = headers
        if headers["Content-Type"] == nil { headers["Content-Type"] = "text/plain; charset=utf-8" }
        let url = request.url ?? URL(fileURLWithPath: "/")
        let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        completion(head, Data(text.utf8), nil)
    }

    /// Ends the connection after a part of the body.
    func breakOff(after part: Data) {
        let url = request.url ?? URL(fileURLWithPath: "/")
        let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: [:])
        completion(head, part, URLError(.networkConnectionLost))
    }

    func fail(_ code: URLError.Code) {
        completion(nil, nil, URLError(code))
    }
}
