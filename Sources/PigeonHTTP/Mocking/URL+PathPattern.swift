public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension URL {
    /// What stands in the path where the pattern has its components, or `nil` when the path does not match it.
    ///
    /// The values are decoded, and there are as many as the pattern has components. Slashes at the end, and doubled ones,
    /// do not count.
    public func pathValues(matching pattern: [PathComponent]) -> [PathValue]? {
        PathPattern(pattern).values(in: self)?.all
    }

    /// Whether the path has exactly the components of the pattern.
    public func pathMatches(pattern: [PathComponent]) -> Bool {
        pathValues(matching: pattern) != nil
    }

    /// The number that a wildcard for integers found.
    ///
    /// - Parameters:
    ///   - index: The place of the component, counted from 0.
    ///   - pattern: What the path has to match.
    /// - Returns: `nil` when the path does not match, or when there is no number at that place or no such place.
    public func integerValue(atIndex index: Int, matching pattern: [PathComponent]) -> Int? {
        guard let values = pathValues(matching: pattern), values.indices.contains(index),
            case .integer(let number) = values[index]
        else { return nil }
        return number
    }

    /// The text that a constant or a wildcard for strings found.
    ///
    /// - Parameters:
    ///   - index: The place of the component, counted from 0.
    ///   - pattern: What the path has to match.
    /// - Returns: `nil` when the path does not match, or when there is no text at that place or no such place.
    public func stringValue(atIndex index: Int, matching pattern: [PathComponent]) -> String? {
        guard let values = pathValues(matching: pattern), values.indices.contains(index),
            case .string(let text) = values[index]
        else { return nil }
        return text
    }

    /// The decoded components of the path, or `nil` when one cannot be decoded. Those of `base` at the front are left off.
    func pathParts(below base: URL?) -> [String]? {
        guard let path = URLComponents(url: self, resolvingAgainstBaseURL: true)?.percentEncodedPath else { return nil }
        var parts: [String] = []
        for part in path.split(separator: "/") {
            guard let decoded = part.removingPercentEncoding else { return nil }
            parts.append(decoded)
        }
        guard let front = base?.pathParts(below: nil), parts.starts(with: front) else { return parts }
        return Array(parts.dropFirst(front.count))
    }
}

extension URLRequest {
    /// What stands in the path of the address: `URL.pathValues(matching:)`.
    public func pathValues(matching pattern: [PathComponent]) -> [PathValue]? {
        url?.pathValues(matching: pattern)
    }

    /// Whether the address's path matches: `URL.pathMatches(pattern:)`.
    public func pathMatches(pattern: [PathComponent]) -> Bool {
        url?.pathMatches(pattern: pattern) ?? false
    }

    /// A number in the address's path: `URL.integerValue(atIndex:matching:)`.
    public func integerValue(atIndex index: Int, matching pattern: [PathComponent]) -> Int? {
        url?.integerValue(atIndex: index, matching: pattern)
    }

    /// A text in the address's path: `URL.stringValue(atIndex:matching:)`.
    public func stringValue(atIndex index: Int, matching pattern: [PathComponent]) -> String? {
        url?.stringValue(atIndex: index, matching: pattern)
    }
}
