#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
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
