public import Foundation

/// Something that may be an address.
public protocol URLConvertible: Sendable {
    /// The address, or `nil` when it is none.
    var url: URL? { get }
}

extension URL: URLConvertible {
    /// The address itself.
    public var url: URL? { self }
}

extension String: URLConvertible {
    /// The address that the text is.
    public var url: URL? { URL(string: self) }
}

extension Optional: URLConvertible where Wrapped: URLConvertible {
    /// The address of what is there, if something is.
    public var url: URL? { flatMap(\.url) }
}
