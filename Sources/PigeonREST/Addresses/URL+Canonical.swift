package import Foundation

extension URL {
    /// The URL in the form that identifies a resource. URLs that are certainly equivalent (RFC 3986, 6.2) have the same
    /// form.
    ///
    /// - Scheme and host are lowercase, the default port of the scheme is removed, and an empty path becomes "/".
    /// - Escapes are uppercase, and characters that need no escape are not escaped.
    /// - "." and ".." are resolved in paths, because servers never receive them.
    /// - The fragment is removed, because servers never receive it.
    ///
    /// The order of parameters and doubled slashes in paths are preserved, because servers may distinguish them. A URL
    /// without a scheme is unchanged.
    package var canonical: URL {
        let text = absoluteString
        var parts = URLParts(text)
        guard parts.scheme != nil else { return self }
        parts.normalize()
        let canonical = parts.text
        return canonical == text && baseURL == nil ? self : URL(string: canonical) ?? self
    }

    /// Returns true if two URLs have the same scheme, host and port (RFC 6454, 4), so that credentials for one may be
    /// sent to the other.
    package func hasSameOrigin(as other: URL) -> Bool {
        guard let mine = URLParts(self).origin, let others = URLParts(other).origin else { return false }
        return mine == others
    }
}

extension URLParts {
    mutating func normalize() {
        scheme = scheme.map { $0.lowercased()[...] }
        path = path.normalizedEscapes.withoutDotSegments
        query = query?.normalizedEscapes
        fragment = nil
        guard authority != nil else { return }
        if path.isEmpty { path = "/" }
        let (user, host, _) = server
        authority = "\(user.map { "\($0)@" } ?? "")\(host.lowercased())\(realPort.map { ":\($0)" } ?? "")"
    }

    /// Scheme, host and port as one text. `nil` without a host.
    var origin: String? {
        guard let scheme, authority != nil, !server.host.isEmpty else { return nil }
        return "\(scheme.lowercased())://\(server.host.lowercased()):\(realPort ?? "")"
    }

    private var realPort: Substring? {
        guard let port = server.port, !port.isEmpty else { return nil }
        return port == Self.ports[(scheme ?? "").lowercased()] ? nil : port
    }

    private static let ports: [String: Substring] = ["http": "80", "https": "443", "ws": "80", "wss": "443"]
}

extension Substring {
    /// The text with uppercase escapes, and without escapes for letters, digits, "-", ".", "_" and "~" (RFC 3986, 2.3).
    var normalizedEscapes: Substring {
        guard utf8.contains(UInt8(ascii: "%")) else { return self }
        var result: [UInt8] = []
        result.reserveCapacity(utf8.count)
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), let escaped = rest.escapedByte else {
                result.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
            result.append(encoding: escaped, allowed: .unreserved)
        }
        return String(decoding: result, as: UTF8.self)[...]
    }
}
