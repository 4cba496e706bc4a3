/// The validators of a value, with which a later request asks the server whether the value has changed.
///
/// A text that is not valid in a header field, such as one with a control character, is dropped, because it could not
/// be sent back.
public struct FetchValidators: Sendable, Hashable {
    /// The entity tag (RFC 9110, 8.8.3).
    public var eTag: String? { didSet { eTag = Self.sendable(eTag) } }
    /// The date of the last change, as the server wrote it (RFC 9110, 8.8.2).
    public var lastModified: String? { didSet { lastModified = Self.sendable(lastModified) } }

    /// Creates validators.
    public init(eTag: String? = nil, lastModified: String? = nil) {
        self.eTag = Self.sendable(eTag)
        self.lastModified = Self.sendable(lastModified)
    }

    /// True if there are no validators.
    public var isEmpty: Bool { eTag == nil && lastModified == nil }

    private static func sendable(_ text: String?) -> String? {
        text.flatMap { $0.isFieldValue ? $0 : nil }
    }
}

extension String {
    /// True if the string is valid as the value of a header field: it has no control characters except tabs (RFC 9110,
    /// 5.5).
    package var isFieldValue: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }
}
