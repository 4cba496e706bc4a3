internal import Foundation

/// Tells secrets by the names they go by.
package enum Redaction {
    static let mark = "<redacted>"

    /// A header's value, or the mark in its place. In the address of a redirect only what is secret there is hidden.
    static func value(of field: HTTPHeaders.Field, showing shown: Disclosure) -> String {
        guard !shown.contains(.secrets) else { return field.value }
        let name = field.name.lowercased()
        if addresses.contains(name) { return address(field.value, showing: shown) }
        return isSecret(header: name) ? mark : field.value
    }

    /// An address without its fragment, and with the mark in place of a user, a password and secret items of the query.
    ///
    /// Servers read scalars, not characters: to them, an equals sign with an accent is an equals sign.
    static func address(_ text: String, showing shown: Disclosure) -> String {
        let whole = text.unicodeScalars.prefix { $0 != "#" }
        guard !shown.contains(.secrets) else { return String(whole) }
        let path = whole.prefix { $0 != "?" }
        var result = withoutUser(path)
        guard path.endIndex < whole.endIndex else { return result }
        let query = whole[path.endIndex...].dropFirst()
        for item in query.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "&" || $0 == ";" }) {
            result.unicodeScalars.append(whole[whole.index(before: item.startIndex)])
            result += redacted(item)
        }
        return result
    }

    private static func withoutUser(_ text: Substring.UnicodeScalarView) -> String {
        let start = text.firstRange(of: "//".unicodeScalars)?.upperBound ?? text.startIndex
        guard let at = text[start...].prefix(while: { $0 != "/" }).lastIndex(of: "@") else { return String(text) }
        return "\(Substring(text[..<start]))\(mark)\(Substring(text[at...]))"
    }

    private static func redacted(_ item: Substring.UnicodeScalarView) -> String {
        guard let equals = item.firstIndex(of: "=") else { return String(item) }
        let name = String(item[..<equals])
        return isSecret(queryItem: (name.removingPercentEncoding ?? name).lowercased())
            ? "\(name)=\(mark)" : String(item)
    }

    /// Whether a header field of this name, in small letters, may hold what only its owner should see.
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
