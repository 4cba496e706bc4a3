internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The reason why a transport gave up on a response, if no code of `URLError` describes it. It is the underlying error
/// of a `URLError`.
enum TransportFault: Error {
    /// The body has a coding, or several, that the transport cannot decode.
    case unsupported(String, known: [String])
    /// The body is not what its coding says. The cause is the decoder's error.
    case undecodable(String, reason: String, cause: (any Error)? = nil)
    /// The session's own text, for an error for which it has no code.
    case session(String)
    /// The body is encoded, so it would be unknown whether all of it has arrived.
    case coded(String)
    /// The server names a malformed length of the body, so it would be unknown whether all of it has arrived.
    case length(String)
    /// The server sends faster than the stream is read, and cannot be slowed down.
    case unread(limit: Int)
}

extension URLError {
    init(_ fault: TransportFault) {
        let code: URLError.Code =
            switch fault {
            case .unsupported, .undecodable, .coded: .cannotDecodeContentData
            case .session: .unknown
            case .length: .badServerResponse
            case .unread: .dataLengthExceedsMaximum
            }
        self.init(code, userInfo: [NSUnderlyingErrorKey: fault])
    }
}

extension TransportFault: PlainlyDescribedError {
    var description: String {
        switch self {
        case .unsupported(let coding, let known):
            "the body has the coding \"\(coding.printable)\", which this transport cannot decode"
                + (known.isEmpty ? "" : "; it decodes one of: \(known.joined(separator: ", "))")
        case .undecodable(let coding, let reason, _):
            "the body cannot be decoded as \"\(coding.printable)\": \(reason)"
        case .session(let text): "libcurl reports: \(text.printable)"
        case .coded(let coding):
            "the body is coded (\(coding.printable)) although it was requested without coding, and URLSession on Linux "
                + "does not report whether it is complete; request it with Accept-Encoding, or use AsyncHTTPClientTransport"
        case .length(let text):
            "the header \"Content-Length\" of the response is not a length: \(text.printable)"
        case .unread(let limit):
            "the stream is read too slowly: \(limit) bytes wait, and URLSession on Linux cannot slow the server down; "
                + "read faster, or use AsyncHTTPClientTransport"
        }
    }
}

extension String {
    /// True if a field of this name gives the length of the body, which the transport does itself (RFC 9112, 6).
    var isFramingHeader: Bool { isSameHeader(as: "Content-Length") || isSameHeader(as: "Transfer-Encoding") }
}

extension HTTPHeaders {
    /// The length of the body that the server named, or `nil`. A length that was sent twice counts once (RFC 9110,
    /// 8.6).
    func contentLength() throws(TransportFault) -> Int64? {
        guard let text = self["Content-Length"] else { return nil }
        if let length = Int64(digits: text) { return length }
        let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let lengths = Set(parts.map { Int64(digits: Substring($0).trimmed) })
        guard lengths.count == 1, let length = lengths.first ?? nil else { throw .length(text) }
        return length
    }
}

extension Int64 {
    init?(digits text: some StringProtocol) {
        guard text.utf8.allSatisfy(\.isDigit) else { return nil }
        self.init(text)
    }
}
