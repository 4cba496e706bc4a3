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
