internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Why a transport gave an answer up, where a code of `URLError` does not say it. It is such an error's underlying one.
enum TransportFault: Error {
    /// The body is coded, and nothing would tell whether all of it has come.
    case coded(String)
    /// The server names a length of the body that is none, so that nothing would tell whether all of it has come.
    case length(String)
    /// The server sends faster than the stream is read, and cannot be slowed down.
    case unread(limit: Int)
}

extension URLError {
    init(_ fault: TransportFault) {
        let code: URLError.Code =
            switch fault {
            case .coded: .cannotDecodeContentData
            case .length: .badServerResponse
            case .unread: .dataLengthExceedsMaximum
            }
        self.init(code, userInfo: [NSUnderlyingErrorKey: fault])
    }
}

extension TransportFault: PlainlyDescribedError {
    var description: String {
        switch self {
        case .coded(let coding):
            "the body is coded (\(coding.printable)), though it was asked for as it is, and URLSession on Linux does not tell "
                + "whether all of it has come; ask for it by Accept-Encoding, or use AsyncHTTPClientTransport"
        case .length(let text):
            "the header \"Content-Length\" of the answer is no length: \(text.printable)"
        case .unread(let limit):
            "the stream is read too slowly: \(limit) bytes wait, and URLSession on Linux cannot slow the server down; "
                + "read faster, or use AsyncHTTPClientTransport"
        }
    }
}
