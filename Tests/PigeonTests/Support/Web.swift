import Foundation
import Pigeon

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers requests to the example's host in this process.
final class Web: URLProtocol {
    private static let state = Locked((isInstalled: false, requests: [String]()))

    /// Makes `URLSession.shared` ask here.
    static func install() {
        let isNew = state.withLock { state in
            state.requests = []
            defer { state.isInstalled = true }
            return !state.isInstalled
        }
        if isNew { _ = URLProtocol.registerClass(Web.self) }
    }

    static var requests: [String] { state.withLock { $0.requests } }

    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.host == "jsonplaceholder.typicode.com"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)
        else { return }
        Web.state.withLock { $0.requests.append(url.path) }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(#"[{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]"#.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
