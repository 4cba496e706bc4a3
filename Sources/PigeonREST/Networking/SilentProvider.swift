internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Never answers.
struct SilentProvider: NetworkingProvider {
    func startRequest(
        _ request: URLRequest, completion: @escaping RequestNetworkingCompletionCallback
    ) -> any RequestNetworking {
        Silence()
    }

    private struct Silence: RequestNetworking {
        let transferMetrics = RequestTransferMetrics()
        func cancel() {}
    }
}
