public import Foundation
internal import PigeonHTTP

extension URL {
    /// Returns the URL of a path below this one. A slash at the start of the path is ignored, and no slash is added.
    ///
    /// The whole text is a path, so characters such as "?" and "%" are escaped. The query of this URL is preserved, and
    /// its fragment is removed.
    ///
    /// - Returns: The URL. `nil` if this URL has no scheme, or if the path contains a component "..", because the
    ///   result might not be below this URL.
    package func child(_ subpath: String) -> URL? {
        var parts = URLParts(self)
        guard parts.scheme != nil, !subpath[...].hasDotSegment("..") else { return nil }
        let added = (subpath.utf8.first == UInt8(ascii: "/") ? String(Substring(subpath.utf8.dropFirst())) : subpath)
            .escaped(allowing: .path)
        let slash = parts.path.utf8.last == UInt8(ascii: "/") ? "" : "/"
        parts.path = "\(parts.path)\(slash)\(added)"
        parts.fragment = nil
        return parts.url
    }

    /// Returns the URL of a link in the document at this URL (RFC 3986, 5.2). It may belong to another server.
    package func relative(_ href: String) -> URL? {
        var link = URLParts(href.trimmingCharacters(in: .whitespacesAndNewlines).escapedWhereNoURLHas)
        let base = URLParts(self)
        guard base.scheme != nil else { return nil }
        if link.scheme == nil {
            link.scheme = base.scheme
            if link.authority == nil {
                link.authority = base.authority
                if link.path.isEmpty {
                    link.path = base.path
                    link.query = link.query ?? base.query
                } else if link.path.utf8.first != UInt8(ascii: "/") {
                    link.path = base.path(mergedWith: link.path)
                }
            }
        }
        link.path = link.path.withoutDotSegments
        return link.url
    }
}

extension URLParts {
    /// Returns the path with everything after its last slash replaced by another path (RFC 3986, 5.2.3).
    fileprivate func path(mergedWith other: Substring) -> Substring {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            return authority == nil ? other : "/\(other)"
        }
        return "\(path[...slash])\(other)"
    }
}

extension Substring {
    fileprivate func hasDotSegment(_ dots: StaticString) -> Bool {
        let (dot, slash) = (UInt8(ascii: "."), UInt8(ascii: "/"))
        guard utf8.contains(dot) else { return false }
        return utf8.split(separator: slash).contains { segment in
            segment.count == dots.utf8CodeUnitCount && segment.allSatisfy { $0 == dot }
        }
    }

    /// The path with the segments "." and ".." resolved and removed (RFC 3986, 5.2.4).
    var withoutDotSegments: Substring {
        guard hasDotSegment(".") || hasDotSegment("..") else { return self }
        let segments = split(separator: "/", omittingEmptySubsequences: false)
        var kept: [Substring] = []
        for segment in segments {
            switch segment {
            case ".": break
            case "..": if kept.count > 1 { kept.removeLast() }
            default: kept.append(segment)
            }
        }
        if segments.last == "." || segments.last == ".." { kept.append("") }
        return kept.joined(separator: "/")[...]
    }
}

extension String {
    /// The text with all characters escaped that are not allowed in URLs, such as spaces. Links in web pages and in
    /// JSON often contain such characters.
    var escapedWhereNoURLHas: String {
        let escaped = escaped(allowing: .url)
        guard escaped.utf8.contains(UInt8(ascii: "%")) else { return escaped }
        var result: [UInt8] = []
        var rest = Substring(escaped).utf8
        while let byte = rest.popFirst() {
            let isPlain = byte != UInt8(ascii: "%") || rest.escapedByte != nil
            if isPlain { result.append(byte) } else { result += "%25".utf8 }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension ASCIISet {
    fileprivate static let url = ASCIISet(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%")
}

extension URL {
    /// The text of the URL for logs and descriptions, without the user, password, query and fragment.
    var nameForLogs: String {
        var parts = URLParts(absoluteString)
        (parts.query, parts.fragment) = (nil, nil)
        if let authority = parts.authority, let at = authority.lastIndex(of: "@") {
            parts.authority = authority[authority.index(after: at)...]
        }
        return parts.text
    }
}

/// A value that can be converted to a URL.
public protocol URLConvertible: Sendable {
    /// The URL. `nil` if the value is not a URL.
    var url: URL? { get }
}

extension URL: URLConvertible {
    /// The URL itself.
    public var url: URL? { self }
}

extension String: URLConvertible {
    /// The text as a URL.
    public var url: URL? { URL(string: self) }
}

extension Optional: URLConvertible where Wrapped: URLConvertible {
    /// The URL of the wrapped value. `nil` if there is no value.
    public var url: URL? { flatMap(\.url) }
}
