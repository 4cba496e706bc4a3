internal import Foundation

/// A server's address, split so that a request's path and query can be added to it.
///
/// Works on bytes: `URLComponents` costs more than everything else that is done for a request.
struct BaseAddress {
    private var bytes: [UInt8]
    private let path: Range<Int>
    private let query: Range<Int>

    /// - Throws: ``AddressError/invalidBaseURL(_:)`` for an address without a host, or with a scheme that is not HTTP.
    init(_ url: URL) throws(RequestError) {
        bytes = Array(url.absoluteString.utf8)
        guard let scheme = Self.schemes.first(where: bytes.hasScheme) else {
            throw .invalidURL(cause: AddressError.invalidBaseURL(url.plainDescription))
        }
        bytes.replaceSubrange(0..<scheme.count, with: scheme)
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        let mark = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) ?? end
        let slash = bytes[scheme.count..<mark].firstIndex(of: UInt8(ascii: "/")) ?? mark
        path = slash..<mark
        query = min(mark + 1, end)..<end
        let host = bytes[scheme.count..<slash].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? scheme.count
        guard host < slash, bytes[host] != UInt8(ascii: ":") else {
            throw .invalidURL(cause: AddressError.invalidBaseURL(url.plainDescription))
        }
    }

    private static let schemes = [Array("https://".utf8), Array("http://".utf8)]

    func appending(path added: String, queryItems: [URLQueryItem]) throws(RequestError) -> URL {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + added.utf8.count + 64)
        result += bytes[..<path.upperBound]
        try append(path: added, to: &result)
        append(query: queryItems, to: &result)
        guard let url = URL(string: String(decoding: result, as: UTF8.self)) else {
            throw .invalidURL(cause: URLError(.badURL))
        }
        return url
    }

    /// Appends a path, with one slash between it and the base's path.
    private func append(path added: String, to result: inout [UInt8]) throws(RequestError) {
        let slash = UInt8(ascii: "/")
        switch (bytes[path].last == slash, added.utf8.first == slash) {
        case (true, true): result.removeLast()
        case (false, false) where !added.isEmpty || path.isEmpty: result.append(slash)
        default: break
        }
        guard !result.append(path: added) || added.utf8.contains(UInt8(ascii: ".")) else { return }
        guard added.pathFault == nil else { throw .invalidURL(cause: AddressError.invalidPath(added)) }
    }

    /// Appends the base's query and the items, after a question mark if there is any.
    private func append(query items: [URLQueryItem], to result: inout [UInt8]) {
        var separator = UInt8(ascii: "?")
        if !query.isEmpty {
            result.append(separator)
            result += bytes[query]
            separator = UInt8(ascii: "&")
        }
        for item in items where !(item.name.isEmpty && item.value == nil) {
            result.append(separator)
            result.append(encoding: item.name, allowed: .queryItem)
            separator = UInt8(ascii: "&")
            guard let value = item.value else { continue }
            result.append(UInt8(ascii: "="))
            result.append(encoding: value, allowed: .queryItem)
        }
    }
}

extension [UInt8] {
    /// True if the text begins with a scheme, compared without regard to case.
    fileprivate func hasScheme(_ scheme: [UInt8]) -> Bool {
        count >= scheme.count && zip(self, scheme).allSatisfy { $0 == $1 || $0 | 0x20 == $1 }
    }
}

extension UInt8 {
    var isControl: Bool { self < 0x20 || self == 0x7F }
}
