package import Foundation

extension URL {
    /// The address as it names a resource: those that are sure to be the same (RFC 3986, 6.2) become one.
    ///
    /// - Scheme and host in small letters, no port that the scheme has anyway, "/" for an empty path.
    /// - Escapes in capital letters; what need not be escaped is not.
    /// - No "." and ".." in paths: what sends a request takes them out, and servers never see them.
    /// - No fragment: servers never see it.
    ///
    /// Parameters keep their order, and paths their doubled slashes: servers may tell those apart. An address without a
    /// scheme stays as it is.
    package var canonical: URL {
        let text = absoluteString
        var parts = URLParts(text)
        guard parts.scheme != nil else { return self }
        parts.normalize()
        let canonical = parts.text
        return canonical == text && baseURL == nil ? self : URL(string: canonical) ?? self
    }

    /// Whether two addresses have one scheme, host and port (RFC 6454, 4), so that credentials of one may go to the other.
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

    /// Scheme, host and port as one text, if there is a host.
    var origin: String? {
        guard let scheme, authority != nil, !server.host.isEmpty else { return nil }
        return "\(scheme.lowercased())://\(server.host.lowercased()):\(realPort ?? "")"
    }

    /// The port, unless it is the scheme's own.
    private var realPort: Substring? {
        guard let port = server.port, !port.isEmpty else { return nil }
        return port == Self.ports[(scheme ?? "").lowercased()] ? nil : port
    }

    private static let ports: [String: Substring] = ["http": "80", "https": "443", "ws": "80", "wss": "443"]
}

extension Substring {
    /// Escapes in capital letters, and none for letters, digits, "-", ".", "_" and "~" (RFC 3986, 2.3).
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
