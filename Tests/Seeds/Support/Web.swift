#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Answers the network requests of the examples within this process. Each document has a subclass with its own site.
open class Web: URLProtocol {
    /// The site that answers the requests.
    open class var site: Site { fatalError("a subclass names its site") }

    override open class func canInit(with request: URLRequest) -> Bool { request.url?.host == site.host }

    override open class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override open func startLoading() {
        guard let url = request.url else { return }
        let answer = Self.site.answer(to: request.httpMethod ?? "GET", url.path)
        guard
            let response = HTTPURLResponse(
                url: url, statusCode: answer.status, httpVersion: "HTTP/1.1",
                headerFields: ["Content-Type": "application/json"])
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(answer.body.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override open func stopLoading() {}
}
