public import Foundation
internal import PigeonCore
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

extension Entity where ContentType == any Sendable {
    /// The content as a type.
    ///
    /// - Parameter url: What was asked, for the error.
    /// - Throws: A ``RequestError`` with ``RequestError/Cause/WrongContentType`` for content of another type.
    func content<T>(as type: T.Type = T.self, at url: URL? = nil) throws(RequestError) -> T {
        guard let content = ContentCast.cast(content, to: T.self) else {
            let actual = Swift.type(of: content as Any)
            throw RequestError(RequestError.Cause.WrongContentType(expected: T.self, actual: actual), url: url)
        }
        return content
    }
}

extension Entity {
    /// What kind of content it is. "application/octet-stream" when the server did not say.
    public var contentType: String { headers["content-type"] ?? "application/octet-stream" }

    /// The server's name for this state of the content (RFC 9110, 8.8.3).
    public var etag: String? { headers["etag"] }

    /// A header field, however its name is written.
    public func header(forKey key: String) -> String? { headers[key.lowercased()] }

    /// When the content was last changed, as the server wrote it (RFC 9110, 8.8.2).
    package var lastModified: String? { headers["last-modified"] }

    /// Forgets what the server said of version and age: for content that is no longer the server's.
    package mutating func forgetVersion() {
        var rest = headers
        for name in ["etag", "last-modified", "cache-control", "expires", "age", "date"] { rest[name] = nil }
        headers = rest
    }
}

extension Entity {
    /// Says that the content is known to be right now.
    public mutating func touch() {
        timestamp = Date.timeIntervalSinceReferenceDate
    }

    /// How long ago the content was known to be right, in seconds, by the wall clock.
    ///
    /// A time in the future is a clock that was set back: then the age is not known, which counts as endless. A
    /// minute is passed over, since clocks differ.
    ///
    /// - Parameter now: Seconds since 2001.
    package func age(now: TimeInterval = Date.timeIntervalSinceReferenceDate) -> TimeInterval {
        let age = now - timestamp
        guard age >= -60 else { return .infinity }  // also for NaN
        return max(0, age)
    }

    /// The entity with a time that is not in the future. One that is not to be believed becomes the year 2001.
    package func clamped(now: TimeInterval = Date.timeIntervalSinceReferenceDate) -> Entity {
        let age = age(now: now)
        var entity = self
        entity.timestamp = age.isFinite ? now - age : 0
        return entity
    }

    /// How long the server said the content is fresh, in seconds from ``timestamp``. `nil` when it did not say.
    package var freshFor: TimeInterval? {
        let freshness = HTTPHeaders(headers).freshness(now: Date(timeIntervalSinceReferenceDate: timestamp))
        return freshness.map { TimeInterval($0.components.seconds) }
    }
}

extension Entity: CostEstimating {
    /// Of a client's budget of bytes: the content's, and something for each header field.
    package var estimatedCost: Int { ValueCost.estimate(content) + headers.count * 64 }
}

extension Entity: CustomStringConvertible {
    /// What kind of content it is. Neither the content nor the headers, which may be secrets.
    public var description: String { "Entity of \(type(of: content as Any)), \(contentType)" }
}
