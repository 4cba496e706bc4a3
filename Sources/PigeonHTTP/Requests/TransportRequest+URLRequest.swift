internal import PigeonBase

// `URLRequest` is part of Foundation on Apple's systems, and the initializer shows it to other modules.
#if canImport(FoundationNetworking)
    internal import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

extension TransportRequest {
    /// Creates a request that is sent as Foundation has it.
    ///
    /// - Throws: ``HTTPError/request(_:)`` or ``HTTPError/defect(_:)``.
    package init(sending request: URLRequest) throws(HTTPError) {
        guard let url = request.url else { throw .request(.missingURL) }
        try self.init(request, adaptedFrom: TransportRequest(method: .get, url: url))
        let foundations: TimeInterval = 60
        if request.timeoutInterval != foundations { timeout = Duration(untrustedSeconds: request.timeoutInterval) }
    }

    /// Creates a request from an adapter's result.
    init(_ request: URLRequest, adaptedFrom original: TransportRequest) throws(HTTPError) {
        guard let url = request.url, url.isHTTP else { throw .request(.missingURL) }
        guard let method = HTTPMethod(rawValue: request.httpMethod ?? "GET") else {
            throw .defect(.invalidMethod(request.httpMethod ?? ""))
        }
        self = original
        self.url = url
        self.method = method
        headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        do { try headers.checkForSending() } catch { throw .defect(error) }
        if let body = request.httpBody { self.body = .data(body) }
    }
}
