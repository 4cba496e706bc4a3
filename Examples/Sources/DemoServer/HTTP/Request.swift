import Foundation
import NIOCore
import NIOHTTP1

/// One whole HTTP request.
struct Request {
    let method: HTTPMethod
    let target: String
    let path: [String]
    let query: [(name: String, value: String)]
    let headers: HTTPHeaders
    let body: Data
    /// Whether more was sent than the server takes; the body is empty then.
    let isTooLarge: Bool

    init(head: HTTPRequestHead, body: Data, isTooLarge: Bool) {
        method = head.method
        headers = head.headers
        self.body = body
        self.isTooLarge = isTooLarge
        target = head.uri.originForm
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = (parts.first ?? "").pathSegments.map { $0.removingPercentEncoding ?? $0 }
        query = parts.count < 2 ? [] : parts[1].split(separator: "&").map(\.queryItem)
    }

    var record: RequestRecord {
        RequestRecord(
            method: method.rawValue, target: target, isConditional: headers.contains(name: "If-None-Match"))
    }

    /// Returns every value that the query gives for a name.
    func values(of name: String) -> [String] {
        query.filter { $0.name == name }.map(\.value)
    }

    /// Returns the first value of a name as a number from 0 to a million; a larger one counts as a million.
    func number(of name: String) -> Int? {
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
