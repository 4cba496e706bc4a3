internal import Foundation

/// A request with other header fields, or another body, than it was made with.
struct AmendedRequest: Request {
    private let original: any Request
    var headers: [String: String]
    var body: HTTPBody?

    init(_ original: any Request) {
        self.original = original
        headers = original.headers
        body = original.body
    }

    var method: HTTPMethod { original.method }
    var path: String { original.path }
    var queryItems: [URLQueryItem] { original.queryItems }
    var httpBody: Data? { body?.bytes }
    var timeout: Duration? { original.timeout }
    var defect: RequestError? { original.defect }

    /// The value of a header field, whatever the case of its name.
    subscript(header name: String) -> String? {
        get { HTTPHeaders(headers)[name] }
        set {
            var fields = HTTPHeaders(headers)
            fields[name] = newValue
            headers = fields.dictionary
        }
    }
}
