#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension URLRequest {
    /// The command that sends the request from a shell, for a person to paste; see ``TransportRequest/curl(showing:)``.
    ///
    /// - Returns: `nil` for a request without an address.
    public func curl(showing shown: Disclosure = []) -> String? {
        TransportRequest(self)?.curl(showing: shown)
    }
}

extension ServerProvider {
    /// The command that sends a request from a shell, for a person to paste; see ``TransportRequest/curl(showing:)``.
    ///
    /// - Throws: What ``url(from:)`` throws, among others: all for which the request would not be sent.
    public func curl(of request: any Request, showing shown: Disclosure = []) throws -> String {
        do { return try transportRequest(from: request).curl(showing: shown) } catch { throw error.underlying }
    }
}

extension ResponseInterface {
    /// The command that sends the answered request again from a shell; see ``TransportRequest/curl(showing:)``.
    public func curl(showing shown: Disclosure = []) -> String? {
        head.transportRequest?.curl(showing: shown)
    }
}

extension TransportRequest {
    /// What Foundation's request says. A body that is a stream is left out: it can be read once only.
    init?(_ request: URLRequest) {
        guard let url = request.url else { return nil }
        self.init(
            method: request.httpMethod.flatMap(HTTPMethod.init) ?? .get, url: url,
            headers: HTTPHeaders(request.allHTTPHeaderFields ?? [:]), body: request.httpBody.map(HTTPBody.data))
    }
}

extension ResponseHead {
    /// The request that was answered.
    var transportRequest: TransportRequest? {
        switch self {
        case .transported(let request, _, _): request
        case .foundation(_, let request): TransportRequest(request)
        }
    }
}
