public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// A response of a server. Extend it `where T == Data?` to add a decoder of your own.
public protocol ResponseInterface<T>: Sendable {
    /// The type of ``data``.
    associatedtype T: Sendable

    /// The body: bytes at first, later the value they were decoded into.
    var data: T { get }
    /// The response as Foundation's type. Created on each call.
    var httpResponse: HTTPURLResponse { get }
    /// The request of this response, as it was sent. Created on each call.
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
    /// The response's head: its own if it has one, otherwise made from Foundation's types.
    package var head: ResponseHead {
        switch self {
        case let known as any HeadedResponse: known.head
        default: .foundation(httpResponse, urlRequest)
        }
    }
}

extension ResponseInterface {
    /// The server's message for users. `nil` unless the policy of the dispatcher reads it.
    var serverMessage: String? {
        guard let answer = self as? Response<Data?>, let read = answer.messageReader else { return nil }
        guard let message = try? read(answer), !message.isEmpty else { return nil }
        return message
    }
}

/// A response with the head that the transport delivered.
protocol HeadedResponse {
    var head: ResponseHead { get }
}

extension Response: HeadedResponse {}
extension SuccessResponse: HeadedResponse {}
extension ErrorResponse: HeadedResponse {}

extension ResponseInterface where T == Data? {
    /// Prints the request and the response, as ``dump(showing:)`` describes them.
    public func debug(showing shown: Disclosure = []) {
        print(dump(showing: shown))
    }

    /// Prints the request: its address, its headers and the size of its body.
    public func printRequest(showing shown: Disclosure = []) {
        print(requestDump(showing: shown))
    }

    /// Prints the response: its status, its headers and the size of its body.
    public func printResponse(showing shown: Disclosure = []) {
        print(responseDump(showing: shown))
    }

    /// The request and the response as text. Passwords, tokens, cookies and keys are left out, and so are the bodies,
    /// unless you show them. Secrets are recognized by their names, so check the text before you pass it on.
    public func dump(showing shown: Disclosure = []) -> String {
        requestDump(showing: shown) + "\n\n" + responseDump(showing: shown)
    }

    package func requestDump(showing shown: Disclosure = []) -> String {
        guard let request = head.transportRequest else { return "no request" }
        let address = Redaction.address(request.url.absoluteString, showing: shown)
        let body = request.body.map { $0.dump(showing: shown) } ?? "no body"
        return (["\(request.methodName) \(address)"] + request.headers.lines(showing: shown) + [body])
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
    /// - Throws: ``SerializationError/unexpectedEmptyResponse`` if there are none, as after a 204.
    public func unwrapData() throws(SerializationError) -> Data {
        guard let data, !data.isEmpty else { throw .unexpectedEmptyResponse }
        return data
    }

    /// Decodes the body as text.
    ///
    /// - Parameter encoding: The encoding of the text. The default is the one in `Content-Type`, or UTF-8.
    /// - Throws: ``SerializationError`` if there is no body, if its character set is unknown, or if the bytes are no
    ///   text in it.
    public func decodeString(encoding: String.Encoding? = nil) throws(SerializationError) -> String {
        let data = try unwrapData()
        let encoding = if let encoding { encoding } else { try headers["Content-Type"].charset }
        guard let text = String(data: data, encoding: encoding) else { throw .failedToDecodeResponseData(cause: nil) }
        return text
    }

    /// Decodes the body by `JSONSerialization`.
    ///
    /// - Throws: ``SerializationError`` if there is no body, or if it is no JSON.
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

    /// Decodes the body as JSON.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - dateDecodingStrategy: The form of dates.
    /// - Throws: ``SerializationError`` if there is no body, or if it cannot be decoded.
    public func decode<D: Decodable>(
        _ type: D.Type, dateDecodingStrategy: JSONDecoder.DateDecodingStrategy
    ) throws(SerializationError) -> D {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = dateDecodingStrategy
        return try decode(type, decoder: decoder)
    }

    /// Decodes the body as JSON.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: Decodes the body. The default reads dates as in RFC 3339.
    /// - Throws: ``SerializationError`` if there is no body, or if it cannot be decoded.
    public func decode<D: Decodable>(
        _ type: D.Type, decoder: JSONDecoder? = nil
    ) throws(SerializationError) -> D {
        let data = try unwrapData()
        do {
            return try (decoder ?? .rfc3339).decode(type, from: data)
        } catch {
            throw .failedToDecodeResponseData(cause: error)
        }
    }

    /// Decodes the body as JSON, as ``decode(_:decoder:)`` does. Returns `nil` for a 204, an empty body and `null`.
    ///
    /// - Throws: ``SerializationError`` if the body cannot be decoded.
    public func decodeIfPresent<D: Decodable>(
        _ type: D.Type, decoder: JSONDecoder? = nil
    ) throws(SerializationError) -> D? {
        guard statusCode != .noContent, data?.isEmpty == false else { return nil }
        return try decode(D?.self, decoder: decoder)
    }
}

extension JSONDecoder {
    /// Reads dates as in RFC 3339. It is shared, because creating a decoder costs as much as decoding a small object.
    package static let rfc3339 = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .rfc3339
        return decoder
    }()
}
