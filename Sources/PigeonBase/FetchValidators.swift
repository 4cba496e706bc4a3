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

/// The interface between a conditional request and the cached copy that it validates.
///
/// The engine's `FetchContext` and `PageContext` conform. An HTTP client that accepts this protocol does not depend on the engine.
public protocol Revalidation<Value>: Sendable {
    /// The type of the requested value.
    associatedtype Value: Sendable

    /// The cached copy. `nil` if there is none.
    var previous: Value? { get }
    /// The validators that the server sent with the copy. Set the validators of the answer.
    var validators: FetchValidators { get nonmutating set }
    /// Sets how long the answer is fresh.
    func isFresh(for duration: Duration)
    /// Sets how long the answer may be used once it is stale. `nil` for not at all. The default does nothing.
    func allowsStale(whileRevalidating: Duration?, ifError: Duration?)
    /// Reports that the copy is still right.
    ///
    /// - Returns: The copy.
    /// - Throws: An error if there is no copy.
    func notModified() throws -> Value
}

extension Revalidation {
    /// The default does nothing.
    public func allowsStale(whileRevalidating: Duration?, ifError: Duration?) {}
}
