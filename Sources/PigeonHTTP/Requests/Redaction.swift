/// Recognizes secrets by their names.
package enum Redaction {
    static let mark = "<redacted>"

    /// A header's value, or the mark that replaces it. In the address of a redirect, only its secret parts are
    /// replaced.
    static func value(of field: HTTPHeaders.Field, showing shown: Disclosure) -> String {
        guard !shown.contains(.secrets) else { return field.value }
        let name = field.name.lowercased()
        if addresses.contains(name) { return address(field.value, showing: shown) }
        return isSecret(header: name) ? mark : field.value
    }

    /// An address without its fragment, in which the mark replaces a user, a password and secret items of the query.
    /// This includes a query that was written into the path, where its mark is escaped.
    static func address(_ text: String, showing shown: Disclosure) -> String {
        guard !shown.contains(.secrets) else { return String(text.unicodeScalars.prefix { $0 != "#" }) }
        let address = AddressText(text)
        let user = address.user == nil ? "" : "\(mark)@"
        return "\(address.start)\(user)\(address.path)" + redacted(address.escapedQuery) + redacted(address.query)
    }

    private static func redacted(_ query: Substring) -> String {
        let items = query.utf8.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";")
        }
        var result = ""
        for item in items.map(Substring.init) {
            if item.startIndex > query.startIndex {
                result += query[query.utf8.index(before: item.startIndex)..<item.startIndex]
            }
            result += isSecret(item) ? redacted(item: item) : String(item)
        }
        return result
    }

    private static func redacted(item: Substring) -> String {
        guard let equals = item.firstIndex(ofEscaped: "=") else { return mark }
        return item.utf8[equals] == UInt8(ascii: "=") ? "\(item[..<equals])=\(mark)" : "\(item[..<equals])%3D\(mark)"
    }

    /// True if an item is secret, or if its value is an address with a secret in the query.
    private static func isSecret(_ item: Substring) -> Bool {
        item.unescaped.split(whereSeparator: "?#&;".utf8.contains).contains { part in
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return false }
            return isSecret(queryItem: String(decoding: part[..<equals], as: UTF8.self).lowercased())
        }
    }

    /// Expects a lower-case name.
    package static func isSecret(header name: String) -> Bool {
        guard name != "www-authenticate", name != "proxy-authenticate" else { return false }
        return name == "cookie" || name == "set-cookie" || isSecret(name)
    }

    private static func isSecret(queryItem name: String) -> Bool {
        short.contains(name) || isSecret(name)
    }

    private static func isSecret(_ name: String) -> Bool {
        words.contains { name.contains($0) }
    }

    private static let addresses: Set<String> = ["location", "content-location", "referer"]
    private static let words = [
        "auth", "token", "secret", "password", "passwd", "passphrase", "key", "session", "credential", "signature",
        "csrf",
        "xsrf", "jwt",
    ]
    private static let short: Set<String> = ["code", "sig", "pwd", "pass", "pin", "otp", "sid"]
}

/// The parts of a printed request or response that are left out by default.
public struct Disclosure: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates a set from bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Passwords, tokens, cookies and keys, in the address and in the headers.
    public static let secrets = Disclosure(rawValue: 1)
    /// The body, which can contain secrets of its own.
    public static let body = Disclosure(rawValue: 2)
}
