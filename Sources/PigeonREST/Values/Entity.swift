public import Foundation
internal import PigeonHTTP

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// What a server sent, or made of it: a content, and what its headers say about it.
///
/// ```swift
/// let user = Entity<any Sendable>(content: User(id: 1, name: "Ada"), contentType: "application/json")
/// resource.overrideLocalData(with: user)
/// ```
public struct Entity<ContentType> {
    /// What it is about: bytes, text, JSON or a model.
    public var content: ContentType

    /// The name of the encoding that text in it is written in, as the server wrote the name.
    public var charset: String?

    /// When the content was last known to be right, in seconds since the first of January 2001.
    public var timestamp: TimeInterval

    /// The status of the answer it came with, for errors that are found later.
    package var statusCode: Int?

    private var fields: [String: String]

    /// The header fields, their names in small letters. Names that are set are made small too.
    ///
    /// Values of names that differ in case alone are joined with ", ".
    public var headers: [String: String] {
        get { fields }
        set { fields = newValue.withSmallNames }
    }

    /// Creates the entity of an answer.
    ///
    /// - Parameters:
    ///   - response: Says the headers and the charset. Without one there are none.
    ///   - content: The body, or what was made of it.
    public init(response: HTTPURLResponse?, content: ContentType) {
        var headers: [String: String] = [:]
        for (name, value) in response?.allHeaderFields ?? [:] { headers["\(name)"] = "\(value)" }
        self.init(content: content, headers: headers)
        statusCode = response?.statusCode
    }

    /// Creates an entity of the program's own, known to be right now.
    ///
    /// - Parameters:
    ///   - content: What it is about.
    ///   - contentType: What kind of content it is, as in the header of that name. It wins over `headers`.
    ///   - charset: The encoding's name; by default the one that the content type names.
    ///   - headers: Other header fields.
    public init(
        content: ContentType, contentType: String, charset: String? = nil, headers: [String: String] = [:]
    ) {
        var headers = headers.withSmallNames
        headers["content-type"] = contentType
        self.init(content: content, charset: charset, headers: headers)
    }

    /// Creates an entity from its headers.
    ///
    /// - Parameters:
    ///   - content: What it is about.
    ///   - charset: The encoding's name; by default the one that the content type names.
    ///   - headers: The header fields.
    ///   - timestamp: When the content was known to be right, in seconds since 2001. By default now.
    public init(
        content: ContentType, charset: String? = nil, headers: [String: String], timestamp: TimeInterval? = nil
    ) {
        self.content = content
        fields = headers.withSmallNames
        self.charset = charset ?? fields["content-type"]?.charsetName
        self.timestamp = timestamp ?? Date.timeIntervalSinceReferenceDate
    }

    /// The same with another content.
    package func with<New>(content: New) -> Entity<New> {
        var entity = Entity<New>(content: content, headers: fields, timestamp: timestamp)
        entity.charset = charset
        entity.statusCode = statusCode
        return entity
    }

    /// The same with its content as another type, or `nil` when it is none of that type.
    public func withContentRetyped<New>() -> Entity<New>? {
        ContentCast.cast(content, to: New.self).map(with(content:))
    }
}

extension Entity: Sendable where ContentType: Sendable {}

extension [String: String] {
    /// Names in small letters; values of names that become one are joined, as RFC 9110, 5.3 has it.
    fileprivate var withSmallNames: [String: String] {
        let isLarge = { (byte: UInt8) in byte >= 0x80 || (0x41...0x5A).contains(byte) }
        guard keys.contains(where: { $0.utf8.contains(where: isLarge) }) else { return self }
        let sorted = self.sorted { $0.key < $1.key }.map { ($0.key.lowercased(), $0.value) }
        return Dictionary(sorted) { "\($0), \($1)" }
    }
}
