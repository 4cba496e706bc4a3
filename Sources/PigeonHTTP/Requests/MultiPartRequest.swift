public import Foundation

/// A form with files, as `multipart/form-data` (RFC 7578).
///
/// ```swift
/// var request = MultiPartRequest(method: .post, path: "/pictures")
/// request.append("Piran", name: "title")
/// request.append(file: pictureURL, name: "picture", mimeType: "image/jpeg")
/// ```
///
/// Parts are sent in the order they were added. Files on disk are read while they are sent.
public struct MultiPartRequest: Request {
    /// What the server is asked to do.
    public var method: HTTPMethod
    /// The path below the server's base URL, with or without a leading slash.
    public var path: String
    /// The query, added to what the base URL has.
    public var queryItems: [URLQueryItem]
    /// The longest time for one attempt, the whole answer included. `nil` leaves it to the dispatcher.
    public var timeout: Duration?
    /// What the form consists of.
    public private(set) var parts: [Part] = []
    /// The text between parts. It is in none of those that are at hand.
    public private(set) var boundary: String

    private var ownHeaders: [String: String]
    private let makeBoundary: @Sendable () -> String

    /// Creates a request without parts, which has no body.
    public init(
        method: HTTPMethod, path: String, queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) {
        self.init(method: method, path: path, queryItems: queryItems, headers: headers) { UUID().uuidString }
    }

    package init(
        method: HTTPMethod, path: String, queryItems: [URLQueryItem] = [], headers: [String: String] = [:],
        makeBoundary: @escaping @Sendable () -> String
    ) {
        self.method = method
        self.path = path
        self.queryItems = queryItems
        ownHeaders = headers
        self.makeBoundary = makeBoundary
        boundary = makeBoundary()
    }

    /// Header fields. `Content-Type` is the form's, whatever is set. The length is counted by who sends.
    public var headers: [String: String] {
        get {
            guard !parts.isEmpty else { return ownHeaders }
            var headers = ownHeaders
            headers.set("multipart/form-data; boundary=\(boundary)", for: "Content-Type")
            headers.set(nil, for: "Content-Length")
            return headers
        }
        set { ownHeaders = newValue }
    }

    /// The parts with the boundary between them.
    public var body: HTTPBody? { parts.isEmpty ? nil : HTTPBody(parts: parts, boundary: boundary) }

    /// The bytes of ``body``: `nil` when there is none, or when files take part.
    public var httpBody: Data? { body?.bytes }

    /// A part whose media type is none. It is thrown in place of sending.
    public var defect: RequestDefect? {
        guard let part = parts.first(where: { $0.mimeType.map { !$0.isMediaType } ?? false }) else { return nil }
        return .invalidBody(
            reason: "the media type of the part \"\(part.name.printable)\" is none, such as \"image/png\"")
    }

    /// Adds a part at the end.
    public mutating func append(_ part: Part) {
        parts.append(part)
        while parts.contains(where: { $0.contains(boundary) }) { boundary = makeBoundary() }
    }

    /// Removes all parts.
    public mutating func removeAllParts() {
        parts = []
    }
}
