public import Foundation
internal import PigeonCore
internal import PigeonHTTP

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The content of a server's response, or a value made from it, with the headers of the response.
///
/// ```swift
/// let user = Entity<any Sendable>(content: User(id: 1, name: "Ada"), contentType: "application/json")
/// resource.overrideLocalData(with: user)
/// ```
public struct Entity<ContentType> {
    /// The content: bytes, text, JSON or a model.
    public var content: ContentType

    /// The name of the content's text encoding, as the server wrote it.
    public var charset: String?

    /// The time at which the content was last known to be current, in seconds since January 1, 2001.
    public var timestamp: TimeInterval

    /// The status of the response, for errors that are found later.
    package var statusCode: Int?

    private var fields: [String: String]

    /// The header fields, with lowercase names. Names are converted to lowercase when they are set.
    ///
    /// Values of names that differ only in case are joined with ", ".
    public var headers: [String: String] {
        get { fields }
        set { fields = newValue.withSmallNames }
    }

    /// Creates the entity of a response.
    ///
    /// - Parameters:
    ///   - response: Provides the headers and the charset. If it is `nil`, the entity has none.
    ///   - content: The body, or a value made from it.
    public init(response: HTTPURLResponse?, content: ContentType) {
        self.init(head: response.map(Reply.Head.init), content: content)
    }

    init(head: Reply.Head?, content: ContentType, timestamp: TimeInterval? = nil) {
        self.init(content: content, headers: head?.fields ?? [:], timestamp: timestamp)
        statusCode = head?.status
    }

    /// Creates an entity that does not come from a server, with the current time as its timestamp.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - contentType: The content type. It overrides the field in `headers`.
    ///   - charset: The name of the text encoding. The default is the one that the content type names.
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
    ///   - content: The content.
    ///   - charset: The name of the text encoding. The default is the one that the content type names.
    ///   - headers: The header fields.
    ///   - timestamp: The time at which the content was last known to be current, in seconds since January 1, 2001.
    ///     The default is the current time.
    public init(
        content: ContentType, charset: String? = nil, headers: [String: String], timestamp: TimeInterval? = nil
    ) {
        self.content = content
        fields = headers.withSmallNames
        self.charset = charset ?? fields["content-type"]?.charsetName
        self.timestamp = timestamp ?? Date.timeIntervalSinceReferenceDate
    }

    package func with<New>(content: New) -> Entity<New> {
        Entity<New>(content: content, charset: charset, timestamp: timestamp, statusCode: statusCode, fields: fields)
    }

    private init(
        content: ContentType, charset: String?, timestamp: TimeInterval, statusCode: Int?, fields: [String: String]
    ) {
        self.content = content
        self.charset = charset
        self.timestamp = timestamp
        self.statusCode = statusCode
        self.fields = fields
    }

    /// Returns the entity with its content cast to another type. `nil` if the content does not have that type.
    public func withContentRetyped<New>() -> Entity<New>? {
        ContentCast.cast(content, to: New.self).map(with(content:))
    }
}

extension Entity: Sendable where ContentType: Sendable {}

extension [String: String] {
    /// The fields with lowercase names. If names become equal, their values are joined (RFC 9110, 5.3).
    fileprivate var withSmallNames: [String: String] {
        let isLarge = { (byte: UInt8) in byte >= 0x80 || (0x41...0x5A).contains(byte) }
        guard keys.contains(where: { $0.utf8.contains(where: isLarge) }) else { return self }
        let sorted = self.sorted { $0.key < $1.key }.map { ($0.key.lowercased(), $0.value) }
        return Dictionary(sorted) { "\($0), \($1)" }
    }
}

extension Entity where ContentType == any Sendable {
    /// - Parameter url: The URL of the request, for the error.
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
    /// The content type. It is "application/octet-stream" if the server specified none.
    public var contentType: String { headers["content-type"] ?? "application/octet-stream" }

    /// The entity tag, with which the server identifies this version of the content (RFC 9110, 8.8.3).
    public var etag: String? { headers["etag"] }

    /// Returns a header field. The case of the name does not matter.
    public func header(forKey key: String) -> String? { headers[key.lowercased()] }

    /// The date of the last change of the content, as the server wrote it (RFC 9110, 8.8.2).
    package var lastModified: String? { headers["last-modified"] }

    /// Removes the header fields about version and age. Used when the content is no longer the server's version.
    package mutating func forgetVersion() {
        var rest = headers
        for name in ["etag", "last-modified", "cache-control", "expires", "age", "date"] { rest[name] = nil }
        headers = rest
    }
}

extension Entity {
    /// Sets the timestamp to the current time.
    public mutating func touch() {
        timestamp = Date.timeIntervalSinceReferenceDate
    }

    /// Returns the age of the content in seconds, by the wall clock.
    ///
    /// A timestamp in the future means that a clock was set back. The age is then unknown, and counts as infinite.
    /// Timestamps up to one minute in the future count as current, because clocks differ.
    ///
    /// - Parameter now: The current time, in seconds since January 1, 2001.
    package func age(now: TimeInterval = Date.timeIntervalSinceReferenceDate) -> TimeInterval {
        let age = now - timestamp
        guard age >= -60 else { return .infinity }  // also for NaN
        return max(0, age)
    }

    /// Returns the entity with a timestamp that is not in the future. If the age is infinite, the timestamp becomes the
    /// start of 2001.
    package func clamped(now: TimeInterval = Date.timeIntervalSinceReferenceDate) -> Entity {
        let age = age(now: now)
        var entity = self
        entity.timestamp = age.isFinite ? now - age : 0
        return entity
    }

    /// The freshness lifetime in seconds, from ``timestamp``. `nil` if the server specified none.
    package var freshFor: TimeInterval? {
        let freshness = HTTPHeaders(headers).freshness(now: Date(timeIntervalSinceReferenceDate: timestamp))
        return freshness.map { TimeInterval($0.components.seconds) }
    }
}

extension Entity: CostEstimating {
    /// The estimated cost in a client's byte budget: the size of the content, and a constant for each header field.
    package var estimatedCost: Int { ValueCost.estimate(content).clampedSum(with: headers.count * 64) }
}

extension Entity: CustomStringConvertible {
    /// The type of the content. Includes neither the content nor the headers, which may be secret.
    public var description: String { "Entity of \(type(of: content as Any)), \(contentType)" }
}
