public import Foundation

/// A form with files, as `multipart/form-data` (RFC 7578).
///
/// ```swift
/// var request = MultiPartRequest(method: .post, path: "/pictures")
/// request.append("Piran", name: "title")
/// request.append(file: pictureURL, name: "picture", mimeType: "image/jpeg")
/// ```
///
/// Parts are sent in the order in which they were added. Files on disk are read while they are sent.
public struct MultiPartRequest: Request {
    /// The method.
    public var method: HTTPMethod
    /// The path below the server's base URL, with or without a leading slash.
    public var path: String
    /// The query items, added to the query of the base URL.
    public var queryItems: [URLQueryItem]
    /// The longest time for one attempt, including the whole response. If `nil`, the dispatcher's policy applies.
    public var timeout: Duration?
    /// The fields of the form.
    public private(set) var parts: [Part] = []
    /// The text between parts. It occurs in none of the parts in memory.
    public private(set) var boundary: String

    private var ownHeaders: [String: String]
    private let makeBoundary: @Sendable () -> String

    /// Creates a request without parts, which has no body, for a path in a literal such as `"/pictures?album=7"`.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The path below the server's base URL, with or without a query: see ``RequestTarget``.
    ///   - query: The values of the query, which follow those in the path. A value that is `nil` is left out.
    ///   - queryItems: More query items.
    ///   - headers: The header fields.
    public init(
        method: HTTPMethod, path target: RequestTarget, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [],
        headers: [String: String] = [:]
    ) {
        let items = target.items(adding: query, queryItems)
        self.init(method: method, path: target.path, queryItems: items, headers: headers)
    }

    /// Creates a request without parts, which has no body, for a path in a variable, as plain text.
    @_disfavoredOverload  // as in BasicRequest
    public init<Path: StringProtocol>(
        method: HTTPMethod, path: Path, queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) {
        self.init(method: method, path: String(path), queryItems: queryItems, headers: headers) { UUID().uuidString }
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

    /// The header fields. `Content-Type` is always the form's. The transport adds the length.
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

    /// The bytes of ``body``. `nil` if there is no body, or if it contains files.
    public var httpBody: Data? { body?.bytes }

    /// An error for a part whose media type is malformed. It is thrown instead of sending.
    public var defect: RequestDefect? {
        guard let part = parts.first(where: { $0.mimeType.map { !$0.isMediaType } ?? false }) else { return nil }
        return .invalidBody(
            reason: "the part \"\(part.name.printable)\" has a malformed media type; use one such as \"image/png\"")
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

extension MultiPartRequest {
    /// A field of a form.
    public struct Part: Sendable, Hashable {
        /// The field's name.
        public var name: String
        /// The name of the file, if the field is a file.
        public var fileName: String?
        /// The media type, such as "image/png".
        public var mimeType: String?
        /// The value of the field.
        public var content: HTTPBody.Segment

        /// Creates a field.
        public init(name: String, fileName: String? = nil, mimeType: String? = nil, content: HTTPBody.Segment) {
            self.name = name
            self.fileName = fileName
            self.mimeType = mimeType
            self.content = content
        }

        func contains(_ boundary: String) -> Bool {
            guard case .data(let data) = content else { return false }
            return data.range(of: Data(boundary.utf8)) != nil
        }
    }

    /// Replaces the parts by texts, in the order of their names, and a file after them.
    public mutating func setHTTPBody(
        file: Data, fileFieldName: String = "file", fileName: String, mimeType: String,
        parameters: [String: String] = [:]
    ) {
        setHTTPBody(parameters: parameters)
        append(file: file, name: fileFieldName, fileName: fileName, mimeType: mimeType)
    }

    /// Replaces the parts by texts, in the order of their names.
    public mutating func setHTTPBody(parameters: [String: String]) {
        removeAllParts()
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { append(value, name: name) }
    }

    /// Adds a text.
    public mutating func append(_ text: String, name: String) {
        append(Part(name: name, content: .data(Data(text.utf8))))
    }

    /// Adds a file whose bytes are in memory.
    public mutating func append(
        file: Data, name: String, fileName: String, mimeType: String = "application/octet-stream"
    ) {
        append(Part(name: name, fileName: fileName, mimeType: mimeType, content: .data(file)))
    }

    /// Adds a file on disk, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - file: The file's address.
    ///   - name: The name of the form's field.
    ///   - fileName: The name that is sent to the server. The default is the file's own.
    ///   - mimeType: The media type of its content.
    public mutating func append(
        file: URL, name: String, fileName: String? = nil, mimeType: String = "application/octet-stream"
    ) {
        append(
            Part(name: name, fileName: fileName ?? file.lastPathComponent, mimeType: mimeType, content: .file(file)))
    }
}

extension HTTPBody {
    /// The parts of a form (RFC 7578, 4).
    init(parts: [MultiPartRequest.Part], boundary: String) {
        self.init([])
        for part in parts {
            append("--\(boundary)\r\n\(part.head)\r\n")
            append(part.content)
            append("\r\n")
        }
        append("--\(boundary)--\r\n")
    }

    private mutating func append(_ text: String) {
        append(.data(Data(text.utf8)))
    }

    /// Adjacent bytes become one piece.
    private mutating func append(_ segment: Segment) {
        guard case .data(let data) = segment, case .data(var last)? = segments.last else {
            return segments.append(segment)
        }
        segments.removeLast()
        last.append(data)
        segments.append(.data(last))
    }
}

extension MultiPartRequest.Part {
    fileprivate var head: String {
        let file = fileName.map { "; filename=\"\($0.formEscaped)\"" } ?? ""
        let type = mimeType.map { "Content-Type: \($0)\r\n" } ?? ""
        return "Content-Disposition: form-data; name=\"\(name.formEscaped)\"\(file)\r\n\(type)"
    }
}

extension String {
    /// The form of a name that browsers write (WHATWG HTML, 4.10.21.8): a name can end neither its quotes nor its line.
    fileprivate var formEscaped: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\"": result += "%22"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// True for a media type (RFC 9110, 8.3.1), including parameters.
    var isMediaType: Bool {
        let type = utf8.prefix { $0 != UInt8(ascii: ";") }
        let names = type.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return names.count == 2 && !utf8.contains(where: \.isControl)
            && names.allSatisfy { !$0.isEmpty && $0.allSatisfy { ASCIISet.token.contains($0) } }
    }
}
