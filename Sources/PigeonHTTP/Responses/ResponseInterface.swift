public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// An answer of a server. Extend it `where T == Data?` to add a decoder of your own.
public protocol ResponseInterface<T>: Sendable {
    /// What the answer carries.
    associatedtype T: Sendable

    /// What the answer carries: at first bytes, later what they were decoded into.
    var data: T { get }
    /// The answer as Foundation has it. Made on each call.
    var httpResponse: HTTPURLResponse { get }
    /// The request that was answered, as it was sent. Made on each call.
    var urlRequest: URLRequest { get }
    /// The status.
    var statusCode: StatusCode { get }
    /// The header fields.
    var headers: HTTPHeaders { get }
}

extension ResponseInterface {
    /// The header fields of ``httpResponse``.
    public var headers: HTTPHeaders { HTTPHeaders(httpResponse) }
}

extension ResponseInterface {
    /// Where the answer's head comes from: the stock types have theirs, others are asked.
    package var head: ResponseHead {
        switch self {
        case let known as any HeadedResponse: known.head
        default: .foundation(httpResponse, urlRequest)
        }
    }
}

/// An answer that knows its head as the transport gave it.
package protocol HeadedResponse {
    var head: ResponseHead { get }
}

extension Response: HeadedResponse {}
extension SuccessResponse: HeadedResponse {}
extension ErrorResponse: HeadedResponse {}

extension ResponseInterface where T == Data? {
    /// Prints the request and the answer; see ``dump(showing:)``.
    public func debug(showing shown: Disclosure = []) {
        print(dump(showing: shown))
    }

    /// Prints the request that was answered: its address, its headers and the size of its body.
    public func printRequest(showing shown: Disclosure = []) {
        print(requestDump(showing: shown))
    }

    /// Prints the answer: its status, its headers and the size of its body.
    public func printResponse(showing shown: Disclosure = []) {
        print(responseDump(showing: shown))
    }

    /// The request and the answer as text. Passwords, tokens, cookies and keys are left out, and so are the bodies, unless
    /// shown. What they go by is guessed from names: look at it before you pass it on.
    public func dump(showing shown: Disclosure = []) -> String {
        requestDump(showing: shown) + "\n\n" + responseDump(showing: shown)
    }

    package func requestDump(showing shown: Disclosure = []) -> String {
        guard let request = head.transportRequest else { return "no request" }
        let address = Redaction.address(request.url.absoluteString, showing: shown)
        let body = request.body.map { $0.dump(showing: shown) } ?? "no body"
        return (["\(request.method.rawValue) \(address)"] + request.headers.lines(showing: shown) + [body])
            .joined(separator: "\n")
    }

    package func responseDump(showing shown: Disclosure = []) -> String {
        let body = data.map { HTTPBody.data($0).dump(showing: shown) } ?? "no body"
        return (["\(statusCode)"] + headers.lines(showing: shown) + [body]).joined(separator: "\n")
    }
}

extension HTTPHeaders {
    fileprivate func lines(showing shown: Disclosure) -> [String] {
        map { "\($0.name): \(Redaction.value(of: $0, showing: shown))" }
    }
}

extension HTTPBody {
    fileprivate func dump(showing shown: Disclosure) -> String {
        guard shown.contains(.body), let bytes, let text = String(utf8: bytes) else {
            return "(\(summary))"
        }
        return text
    }
}

extension ResponseInterface where T == Data? {
    /// The bytes of the body.
    ///
    /// - Throws: ``SerializationError/unexpectedEmptyResponse`` when there are none, as after a 204.
    public func unwrapData() throws(SerializationError) -> Data {
        guard let data, !data.isEmpty else { throw .unexpectedEmptyResponse }
        return data
    }

    /// The body as text.
    ///
    /// - Parameter encoding: By default what `Content-Type` says, or else UTF-8.
    /// - Throws: ``SerializationError``: no body, a character set that is not known, or bytes that are no text in it.
    public func decodeString(encoding: String.Encoding? = nil) throws(SerializationError) -> String {
        let data = try unwrapData()
        let encoding = if let encoding { encoding } else { try headers["Content-Type"].charset }
        guard let text = String(data: data, encoding: encoding) else { throw .failedToDecodeResponseData(cause: nil) }
        return text
    }

    /// The body as `JSONSerialization` reads it.
    ///
    /// - Throws: ``SerializationError``: no body, or bytes that are no JSON.
    public func decodeJSONObject(
        options: JSONSerialization.ReadingOptions = .mutableContainers
    ) throws(SerializationError) -> Any {
        let data = try unwrapData()
        do {
            return try JSONSerialization.jsonObject(with: data, options: options)
        } catch {
            throw .failedToDecodeResponseData(cause: error)
        }
    }

    /// The value that the body, which is JSON, stands for. Dates are read as RFC 3339 has them.
    ///
    /// - Throws: ``SerializationError``: no body, or none that stands for such a value.
    public func decode<D: Decodable>(_ type: D.Type) throws(SerializationError) -> D {
        try decode(type, decoder: .rfc3339)
    }

    /// The value that the body, which is JSON, stands for.
    ///
    /// - Parameters:
    ///   - type: What it stands for.
    ///   - dateDecodingStrategy: How dates are written.
    /// - Throws: ``SerializationError``: no body, or none that stands for such a value.
    public func decode<D: Decodable>(
        _ type: D.Type, dateDecodingStrategy: JSONDecoder.DateDecodingStrategy
    ) throws(SerializationError) -> D {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = dateDecodingStrategy
        return try decode(type, decoder: decoder)
    }

    /// The value that the body, which is JSON, stands for, by a decoder of one's own.
    ///
    /// - Throws: ``SerializationError``: no body, or none that stands for such a value.
    public func decode<D: Decodable>(_ type: D.Type, decoder: JSONDecoder) throws(SerializationError) -> D {
        let data = try unwrapData()
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw .failedToDecodeResponseData(cause: error)
        }
    }

    /// The value that the body, which is JSON, stands for; `nil` for a 204, an empty body and `null`. Dates are read as
    /// RFC 3339 has them.
    ///
    /// - Throws: ``SerializationError`` for a body that does not stand for such a value.
    public func decodeIfPresent<D: Decodable>(_ type: D.Type) throws(SerializationError) -> D? {
        try decodeIfPresent(type, decoder: .rfc3339)
    }

    /// The value that the body, which is JSON, stands for, by a decoder of one's own; `nil` for a 204, an empty body and
    /// `null`.
    ///
    /// - Throws: ``SerializationError`` for a body that does not stand for such a value.
    public func decodeIfPresent<D: Decodable>(
        _ type: D.Type, decoder: JSONDecoder
    ) throws(SerializationError) -> D? {
        guard statusCode != .noContent, data?.isEmpty == false else { return nil }
        return try decode(D?.self, decoder: decoder)
    }
}

extension JSONDecoder {
    /// Reads dates as RFC 3339 has them. Shared, because making one costs as much as reading a small object.
    package static let rfc3339 = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .rfc3339
        return decoder
    }()
}
