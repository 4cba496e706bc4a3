import Foundation
import Pigeon

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the examples know as `URLSession`: its shared session asks ``Web``. The system's own takes no notice of a protocol that
/// is registered after its first use, which may be in any other test.
enum URLSession {
    static let shared: SystemSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Web.self]
        return SystemSession(configuration: configuration)
    }()
}

#if canImport(FoundationNetworking)
    typealias SystemSession = FoundationNetworking.URLSession
#else
    typealias SystemSession = Foundation.URLSession
#endif

/// Answers requests to the example's host in this process.
final class Web: URLProtocol {
    private static let state = Locked<[String]>([])

    /// Forgets what was asked.
    static func reset() {
        state.withLock { $0 = [] }
    }

    static var requests: [String] { state.withLock { $0 } }

    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.host == "jsonplaceholder.typicode.com"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)
        else { return }
        Web.state.withLock { $0.append(url.path) }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(#"[{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]"#.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
