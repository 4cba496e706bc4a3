internal import Foundation
internal import PigeonBase
public import PigeonCore

/// The headers of an answer that a server makes of a value of a client: how long others may keep it, how old it is, and
/// which one it is.
///
/// ```swift
/// let headers = AnswerHeaders(for: client.snapshot(of: price), body: json, isPrivate: false)
/// guard !headers.isNotModified(ifNoneMatch) else { return (304, headers.fields) }
/// return (200, headers.fields)
/// ```
public struct AnswerHeaders: Sendable, Hashable {
    /// The value of `Cache-Control` (RFC 9111, 5.2.2): the whole time for which the value is fresh, as `max-age`.
    public let cacheControl: String
    /// The value of `Age` (RFC 9111, 5.1), in seconds.
    public let age: Int
    /// The value of `ETag` (RFC 9110, 8.8.3). The same for the same bytes, in every process.
    public let eTag: String

    /// The headers of a snapshot.
    ///
    /// A stale value, and one that is not known to be right, may be kept but must be asked for each time: `no-cache`.
    ///
    /// - Parameters:
    ///   - snapshot: The value.
    ///   - body: The bytes of the answer.
    ///   - isPrivate: True if the answer is for one person only, so that no shared cache may keep it. Default true.
    ///   - staleWhileRevalidating: The time for which a cache may use the answer while it asks again (RFC 5861). Default none.
    public init<Value>(
        for snapshot: Snapshot<Value>, body: some Collection<UInt8>, isPrivate: Bool = true,
        staleWhileRevalidating: Duration = .zero
    ) {
        let age = max(snapshot.age ?? .zero, .zero)
        self.age = Int(clamping: age.components.seconds)
        var parts = [isPrivate ? "private" : "public"]
        let left = snapshot.isOptimistic || snapshot.isPlaceholder ? .zero : snapshot.freshFor
        if let left, left <= .zero {
            parts.append("no-cache")
        } else {
            let whole = left.map { age + $0 } ?? Self.longest
            parts.append("max-age=\(min(whole, Self.longest).components.seconds)")
            if staleWhileRevalidating > .zero {
                parts.append("stale-while-revalidate=\(staleWhileRevalidating.components.seconds)")
            }
        }
        cacheControl = parts.joined(separator: ", ")
        eTag = "\"\(String(stableHash(of: body), radix: 36))-\(String(body.count, radix: 36))\""
    }

    /// One year, the longest time that HTTP's caches are asked to keep anything.
    private static let longest = Duration.seconds(31_536_000)

    /// The headers, by name.
    public var fields: [(name: String, value: String)] {
        [("Cache-Control", cacheControl), ("Age", "\(age)"), ("ETag", eTag)]
    }

    /// True if a request has the answer already, so that 304 without a body is the answer.
    ///
    /// - Parameter ifNoneMatch: The value of its `If-None-Match`. `nil` if it has none.
    public func isNotModified(_ ifNoneMatch: String?) -> Bool {
        guard let ifNoneMatch else { return false }
        return ifNoneMatch.split(separator: ",").contains { tag in
            let tag = tag.trimmingCharacters(in: .whitespaces)
            // The comparison is weak (RFC 9110, 13.1.2).
            return tag == "*" || tag == eTag || tag == "W/\(eTag)"
        }
    }
}
