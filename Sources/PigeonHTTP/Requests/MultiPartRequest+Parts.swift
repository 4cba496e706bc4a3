public import Foundation

extension MultiPartRequest {
    /// A field of a form.
    public struct Part: Sendable, Hashable {
        /// The field's name.
        public var name: String
        /// The name of the file, for a file.
        public var fileName: String?
        /// The media type, such as "image/png".
        public var mimeType: String?
        /// What the field holds.
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

    /// Adds a file whose bytes are at hand.
    public mutating func append(
        file: Data, name: String, fileName: String, mimeType: String = "application/octet-stream"
    ) {
        append(Part(name: name, fileName: fileName, mimeType: mimeType, content: .data(file)))
    }

    /// Adds a file on disk, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - file: Where the file is.
    ///   - name: The name of the form's field.
    ///   - fileName: The name told to the server. By default the file's own.
    ///   - mimeType: The type of its content.
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

    /// Adds a piece, in one with the bytes before it.
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
    /// What browsers write for a name (WHATWG HTML, 4.10.21.8): no name ends its quotes or its line.
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

    /// Whether it is a media type (RFC 9110, 8.3.1), parameters included.
    var isMediaType: Bool {
        let type = utf8.prefix { $0 != UInt8(ascii: ";") }
        let names = type.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return names.count == 2 && !utf8.contains(where: \.isControl)
            && names.allSatisfy { !$0.isEmpty && $0.allSatisfy { ASCIISet.token.contains($0) } }
    }
}
