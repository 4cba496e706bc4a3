#if canImport(FoundationNetworking)
    internal import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

/// A request with other header fields, another body or another address than the original.
struct AmendedRequest: Request {
    private let original: any Request
    /// The request's own address. `nil` for a path below a server's base URL.
    let address: WholeAddress?
    var headers: [String: String]
    var body: HTTPBody?

    init(_ original: any Request, address: WholeAddress? = nil) {
        self.original = original
        self.address = address ?? original.address
        headers = original.headers
        body = original.body
    }

    var method: HTTPMethod { original.method }
    var methodName: String { original.methodName }
    var path: String { original.path }
    var queryItems: [URLQueryItem] { original.queryItems }
    var httpBody: Data? { body?.bytes }
    var timeout: Duration? { original.timeout }
    var defect: RequestDefect? { original.defect }
}

/// The address of a plain `URLRequest`, which is sent as it is.
struct WholeAddress: Sendable {
    let url: URL?

    func checked() throws(RequestError) -> URL {
        guard let url else { throw .missingURL }
        guard url.isHTTP else { throw .invalidURL(cause: AddressError.invalidBaseURL(url.plainDescription)) }
        return url
    }
}

extension Request {
    var address: WholeAddress? { (self as? AmendedRequest)?.address }
}

extension AmendedRequest {
    /// Creates a request from Foundation's, to be sent to its own address. The part that cannot be sent is its
    /// ``defect``.
    fileprivate init(sending request: URLRequest) {
        var made = BasicRequest(method: .get, path: request.url?.path ?? "")
        do throws(HTTPError) {
            let call = try TransportRequest(sending: request)
            made.methodName = call.methodName
            made.headers = call.headers.dictionary
            made.body = call.body
            made.timeout = call.timeout
        } catch {
            if case .defect(let defect) = error { made.defect = defect }  // a wrong address is found when it is used
        }
        made.queryItems =
            request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }?.queryItems ?? []
        self.init(made, address: WholeAddress(url: request.url))
    }
}

extension URLRequest {
    /// Returns the request as a dispatcher sends it, to its own address.
    ///
    /// - Parameter body: The body, in place of the request's own.
    package func dispatched(with body: HTTPBody? = nil) -> any Request {
        var request = AmendedRequest(sending: self)
        if let body { request.body = body }
        return request
    }
}
