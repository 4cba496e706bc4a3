package import Foundation
package import NIOHTTP1

/// One whole HTTP request.
package struct Request: Sendable {
    package let method: HTTPMethod
    package let target: String
    package let path: [String]
    package let query: [(name: String, value: String)]
    package let headers: HTTPHeaders
    package let body: Data
    /// Whether more was sent than the server takes; the body is empty then.
    package let isTooLarge: Bool

    package init(head: HTTPRequestHead, body: Data = Data(), isTooLarge: Bool = false) {
        method = head.method
        headers = head.headers
        self.body = body
        self.isTooLarge = isTooLarge
        target = head.uri.originForm
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = (parts.first ?? "").pathSegments.map { $0.removingPercentEncoding ?? $0 }
        query = parts.count < 2 ? [] : parts[1].split(separator: "&").map(\.queryItem)
    }

    package func record(isSignedIn: Bool = false) -> RequestRecord {
        RequestRecord(
            method: method.rawValue, target: target, isConditional: headers.contains(name: "If-None-Match"),
            isSignedIn: isSignedIn)
    }

    /// Returns every value that the query gives for a name.
    package func values(of name: String) -> [String] {
        query.filter { $0.name == name }.map(\.value)
    }

    /// Returns the first value of a name as a number from 0 to a million; a larger one counts as a million.
    package func number(of name: String) -> Int? {
        guard let text = values(of: name).first, let value = Double(text), value.isFinite else { return nil }
        return Int(min(max(value, 0), 1_000_000))
    }
}

extension String {
    /// The path with its query of a request target that names scheme and host too, as a proxy's client sends it
    /// (RFC 9112, 3.2.2).
    fileprivate var originForm: String {
        guard lowercased().hasPrefix("http://") else { return self }
        return String(dropFirst("http://".count).drop { $0 != "/" })
    }
}

extension Substring {
    fileprivate var queryItem: (name: String, value: String) {
        let parts = replacing("+", with: " ").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let texts = parts.map { $0.removingPercentEncoding ?? String($0) }
        return (texts[0], texts.count > 1 ? texts[1] : "")
    }
}
