internal import Foundation

extension URL {
    /// The address for descriptions: without user, password, query and fragment, any of which can be a secret.
    package var plainDescription: String {
        let address = AddressText(absoluteString)
        return "\(address.start)\(address.path)".printable
    }
}

extension String {
    /// The text for descriptions: on one line and of at most 200 characters.
    var printable: String {
        let line = unicodeScalars.prefix(200).reduce(into: "") { line, scalar in
            switch scalar.properties.generalCategory {
            case _ where scalar == .escapedSlash: line += "%2F"
            case .control, .format, .lineSeparator, .paragraphSeparator:
                line += "\\u{\(String(scalar.value, radix: 16))}"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return unicodeScalars.count > 200 ? "\(line)…" : line
    }
}

// Descriptions name the request and its outcome. Header values, queries and bodies can be secrets, so they are left
// out.

extension BasicRequest: CustomStringConvertible {
    /// Method and path, such as `GET /users/1`.
    public var description: String { "\(methodName.printable) \(path.withoutQuery.printable)" }
}

extension MultiPartRequest: CustomStringConvertible {
    /// Method and path, such as `POST /pictures`.
    public var description: String { "\(method.rawValue) \(path.withoutQuery.printable)" }
}

extension TransportRequest: CustomStringConvertible {
    /// Method and address without its query, such as `GET https://example.com/users/1`.
    public var description: String { "\(methodName) \(url.plainDescription)" }
}

extension Response: CustomStringConvertible {
    /// The status and the request.
    public var description: String { "\(statusCode) (\(head.summary))" }
}

extension SuccessResponse: CustomStringConvertible {
    /// The status and the request.
    public var description: String { "\(statusCode) (\(head.summary))" }
}
