public import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Provides the server's address for each request, so that an app with an environment picker needs no new dispatcher.
///
/// It is called from any thread.
public protocol ServerProvider: AnyObject, Sendable {
    /// The address that the paths of requests are added to. Its own path and query are kept.
    var baseURL: URL? { get }
}

/// A server whose address does not change.
///
/// ```swift
/// let server = FixedServer(URL(string: "https://api.example.com/v1"))
/// ```
public final class FixedServer: ServerProvider {
    /// The address.
    public let baseURL: URL?

    /// Creates a server. Without an address each request ends with ``RequestError/missingURL``, so an address that may
    /// fail to parse needs no `!`.
    public init(_ baseURL: URL?) {
        self.baseURL = baseURL
    }
}

/// The provider for a dispatcher without a server, where each request has its whole address.
package final class NoServer: ServerProvider {
    package let baseURL: URL? = nil

    package init() {}
}

extension ServerProvider {
    /// Returns the address of a request: its path is added to the path of the base URL, and its query to the query.
    ///
    /// The path can begin with a slash or not. It is plain text: characters that a path cannot contain are encoded, and
    /// so are "?", "#" and "%". In the query "+" is encoded too, for servers that read it as a space.
    ///
    /// - Throws: ``RequestError/missingURL``, or ``RequestError/invalidURL(cause:)`` with an ``AddressError``.
    public func url(from request: any Request) throws(RequestError) -> URL {
        if let address = request.address { return try address.checked() }
        guard let baseURL else { throw .missingURL }
        return try BaseAddress(baseURL).appending(path: request.path, queryItems: request.queryItems)
    }

    /// Returns the request as a `URLRequest`, to be sent by other means. Files of its body are read into memory.
    ///
    /// - Throws: The errors of ``url(from:)``, or a ``RequestDefect``: the request's own ``Request/defect``, a header
    ///   field that cannot be sent, or a file that cannot be read.
    public func urlRequest(from request: any Request) throws -> URLRequest {
        do {
            let transported = try transportRequest(from: request)
            var result = URLRequest(transported)
            if result.httpBody == nil, let body = transported.body { result.httpBody = try body.read() }
            return result
        } catch let error as HTTPError {
            throw error.underlying
        }
    }

    /// The request as it is sent. Its address, headers and body have been checked.
    package func transportRequest(from request: any Request) throws(HTTPError) -> TransportRequest {
        if let defect = request.defect { throw .defect(defect) }
        let url: URL
        do { url = try self.url(from: request) } catch { throw .request(error) }
        let headers = HTTPHeaders(request.headers)
        try headers.checkForSending()
        guard request.methodName.isMethodName else { throw .defect(.invalidMethod(request.methodName)) }
        var result = TransportRequest(
            method: request.method, url: url, headers: headers, body: request.body, timeout: request.timeout)
        result.methodName = request.methodName
        return result
    }
}

extension HTTPHeaders {
    /// Throws for a malformed name, and for a value that no field can have (RFC 9110, 5.1 and 5.5).
    func checkForSending() throws(HTTPError) {
        for field in self {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(ASCIISet.token.contains),
                field.value.isFieldValue
            else { throw .defect(.invalidHeader(name: field.name)) }
        }
    }
}

extension URLRequest {
    /// A body with files is left out.
    package init(_ request: TransportRequest) {
        self.init(url: request.url)
        httpMethod = request.methodName
        for field in request.headers { addValue(field.value, forHTTPHeaderField: field.name) }
        httpBody = request.body?.bytes
        if let timeout = request.timeout { timeoutInterval = timeout.inSeconds }
    }
}

extension HTTPBody {
    /// All bytes. Files are read into memory.
    func read() throws(RequestDefect) -> Data {
        var all = Data()
        for segment in segments {
            switch segment {
            case .data(let data): all.append(data)
            case .file(let url):
                do {
                    all.append(try Data(contentsOf: url))
                } catch {
                    throw .invalidBody(reason: "the file \(url.lastPathComponent) cannot be read", cause: error)
                }
            }
        }
        return all
    }
}

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

    init(_ request: URLRequest, adaptedFrom original: TransportRequest) throws(HTTPError) {
        guard let url = request.url, url.isHTTP else { throw .request(.missingURL) }
        guard request.httpBodyStream == nil else {
            throw .defect(.invalidBody(reason: "a body stream can be read only once; set httpBody, or upload a file"))
        }
        let name = request.httpMethod ?? "GET"
        guard name.isMethodName else { throw .defect(.invalidMethod(name)) }
        self = original
        self.url = url
        methodName = name
        headers = HTTPHeaders(request.allHTTPHeaderFields ?? [:])
        try headers.checkForSending()
        if let body = request.httpBody { self.body = .data(body) } else if body?.bytes != nil { body = nil }
    }
}
