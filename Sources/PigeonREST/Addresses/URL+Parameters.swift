package import Foundation
internal import PigeonHTTP

extension URL {
    /// Returns the URL with some parameters replaced, and with all parameters sorted by name. The spelling of the other
    /// parameters is preserved.
    ///
    /// - Parameter values: The new values of each parameter. An empty array removes the parameter, and several values
    ///   repeat it. The value `nil` produces a parameter without "=", and "" one without text after the "=".
    package func withParams(_ values: [String: [String?]]) -> URL? {
        var parts = URLParts(self)
        var parameters = parts.parameters.filter { values[$0.name] == nil }
        for (name, values) in values { parameters += values.map { Parameter(name: name, value: $0) } }
        // Comparing the offsets too preserves the order of repeated parameters.
        let sorted = parameters.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
        parts.query = sorted.isEmpty ? nil : sorted.map(\.element.text).joined(separator: "&")[...]
        return parts.url
    }

    /// Replaces parameters as the function above does, by at most one value each.
    ///
    /// - Parameter values: The new value of each parameter. The value `nil` removes the parameter, and "" produces a
    ///   parameter without "=".
    package func withParams(_ values: [String: String?]) -> URL? {
        withParams(values.mapValues { value in value.map { [$0.isEmpty ? nil : $0] } ?? [] })
    }
}

private struct Parameter {
    let name: String
    let text: String

    init(name: String, value: String?) {
        self.name = name
        let key = name.escaped(allowing: .queryItem)
        text = value.map { "\(key)=\($0.escaped(allowing: .queryItem))" } ?? key
    }

    init(text: Substring) {
        self.text = String(text)
        let name = text.prefix { $0 != "=" }
        self.name = name.removingPercentEncoding ?? String(name)
    }
}

extension URLParts {
    fileprivate var parameters: [Parameter] {
        (query ?? "").split(separator: "&").map(Parameter.init)
    }
}

extension ASCIISet {
    /// The unreserved characters, whose meaning does not change when they are escaped (RFC 3986, 2.3).
    static let unreserved = ASCIISet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

extension [UInt8] {
    mutating func append(encoding byte: UInt8, allowed: ASCIISet) {
        guard !allowed.contains(byte) else { return append(byte) }
        let digits = Array<UInt8>("0123456789ABCDEF".utf8)
        self += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}

extension String {
    func escaped(allowing allowed: ASCIISet) -> String {
        guard !utf8.allSatisfy(allowed.contains) else { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count + 16)
        bytes.append(encoding: self, allowed: allowed)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Collection<UInt8> {
    /// The value of the two hexadecimal digits at the start of the text. `nil` if it does not start with two of them.
    var escapedByte: UInt8? {
        let digits = prefix(2)
        guard digits.count == 2, digits.allSatisfy({ isHexDigit($0) }) else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}

private func isHexDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
}
