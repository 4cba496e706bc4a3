internal import Foundation

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
    /// The address of a request with an address of its own.
    var address: WholeAddress? { (self as? AmendedRequest)?.address }
}
