internal import Foundation

/// Tells secrets by the names they go by.
enum Redaction {
    static let mark = "<redacted>"

    /// A header's value, or the mark in its place. In the address of a redirect only what is secret there is hidden.
    static func value(of field: HTTPHeaders.Field, showing shown: Disclosure) -> String {
        guard !shown.contains(.secrets) else { return field.value }
        let name = field.name.lowercased()
        if addresses.contains(name) { return address(field.value, showing: shown) }
        return isSecret(header: name) ? mark : field.value
    }

    /// An address without its fragment, and with the mark in place of a user, a password and secret items of the query.
    static func address(_ text: String, showing shown: Disclosure) -> String {
        let whole =
            text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
        guard !shown.contains(.secrets) else { return whole }
        let halves = whole.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (halves.first.map(withoutUser) ?? "") + (halves.dropFirst().first.map { "?" + query($0) } ?? "")
    }

    private static func withoutUser(_ text: String) -> String {
        let start = text.range(of: "//")?.upperBound ?? text.startIndex
        let authority = text[start...].prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return text }
        return "\(text[..<start])\(mark)\(text[at...])"
    }

    private static func query(_ text: String) -> String {
        var result = ""
        var item = ""
        for character in text {
            item.append(character)
            guard character == "&" || character == ";" else { continue }
            result += redacted(item: String(item.dropLast())) + String(character)
            item = ""
        }
        return result + redacted(item: item)
    }

    private static func redacted(item: String) -> String {
        guard let equals = item.firstIndex(of: "=") else { return item }
        let name = String(item[..<equals])
        return isSecret(queryItem: (name.removingPercentEncoding ?? name).lowercased()) ? "\(name)=\(mark)" : item
    }

    private static func isSecret(header name: String) -> Bool {
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
