public import Foundation

/// The directives of a `Cache-Control` field (RFC 9111, 5.2). Unknown ones have no effect.
struct CacheControl {
    private var directives: [String: String] = [:]

    init(_ text: String) {
        for element in FieldElement.list(text) {
            // Directives have no parameters. After a semicolon, all of them count, and none has a value.
            let isMalformed = !element.parameters.isEmpty
            for part in [element.head] + element.parameters {
                let name = part.name.lowercased()
                // If a directive occurs several times, the first one applies (RFC 9111, 4.2.1).
                guard !name.isEmpty, directives[name] == nil else { continue }
                directives[name] = isMalformed ? "" : part.value ?? ""
            }
        }
    }

    /// True if a copy must not be used without revalidation, even if the directive names only a field for which that
    /// holds.
    var forbidsReuse: Bool { directives["no-store"] != nil || directives["no-cache"] != nil }

    /// True if a copy must not be used once it is stale (RFC 9111, 4.2.4). `proxy-revalidate` concerns only shared
    /// caches, but a server that writes it expects no stale copies.
    var forbidsStaleReuse: Bool {
        forbidsReuse || directives["must-revalidate"] != nil || directives["proxy-revalidate"] != nil
    }

    /// In seconds. Zero for a text that is no time, as RFC 9111, 4.2.1 advises.
    var maxAge: Int64? { directives["max-age"].map { DeltaSeconds.parse($0) ?? 0 } }

    /// How long a stale response may be used while it is revalidated, in seconds (RFC 5861, 3). `nil` for a text that
    /// is no time.
    var staleWhileRevalidate: Int64? { directives["stale-while-revalidate"].flatMap(DeltaSeconds.parse) }

    /// How long a stale response may be used in place of an error, in seconds (RFC 5861, 4). `nil` for a text that is
    /// no time.
    var staleIfError: Int64? { directives["stale-if-error"].flatMap(DeltaSeconds.parse) }
}

/// Whole seconds in a header field (RFC 9111, 1.2.2).
enum DeltaSeconds {
    /// The number in a text of digits, at most 2³¹, or `nil` for any other text.
    static func parse(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return min(Int64(text) ?? .max, longest)
    }

    /// The whole seconds of an interval, and 0 for a negative one.
    static func whole(_ interval: Double) -> Int64 {
        Int64(min(max(0, interval), Double(longest)))
    }

    /// An `Int` on an older watch cannot hold it.
    private static let longest: Int64 = 1 << 31
}

extension ResponseInterface {
    /// The server's validators, for a later request that asks whether the resource has changed.
    public var validators: FetchValidators {
        FetchValidators(eTag: headers["ETag"], lastModified: headers["Last-Modified"])
    }

    /// How long the response stays fresh, as the server specifies it (RFC 9111, 4.2): by `Cache-Control`'s `max-age`,
    /// or by `Expires` and `Date`, minus the `Age` that the response spent in caches.
    ///
    /// Zero if a copy must not be used without revalidation: `no-store`, `no-cache`, a `Vary` with `*` in it, or a time that
    /// is malformed. If the server specifies nothing, nothing is guessed. Directives for shared caches alone have no
    /// effect.
    ///
    /// - Parameter now: The time at which the response arrived. Needed for responses that expire and have no date.
    /// - Returns: At least zero and at most 2³¹ seconds, or `nil` if the server specifies nothing.
    public func freshness(now: Date = Date()) -> Duration? {
        headers.freshness(now: now)
    }

    /// How long a copy of the response may still be used after it has become stale, while a new response is requested,
    /// as the server specifies it: by `Cache-Control`'s `stale-while-revalidate` (RFC 5861, 3).
    ///
    /// Zero if a stale copy must not be used, even if a time is specified: `no-store`, `no-cache`, `must-revalidate`,
    /// `proxy-revalidate` or `Vary: *`.
    ///
    /// Counted from the end of ``freshness(now:)``: at most 2³¹ seconds. `nil` if the server specifies nothing or a
    /// malformed time. The `Age` of a response that was stale on arrival is not subtracted.
    public var staleWhileRevalidate: Duration? { headers.staleWhileRevalidate }

    /// How long a copy of the response may still be used after it has become stale, if requesting a new response fails,
    /// as the server specifies it: by `Cache-Control`'s `stale-if-error` (RFC 5861, 4).
    ///
    /// Zero if a stale copy must not be used, even if a time is specified: `no-store`, `no-cache`, `must-revalidate`,
    /// `proxy-revalidate` or `Vary: *`.
    ///
    /// Counted from the end of ``freshness(now:)``: at most 2³¹ seconds. `nil` if the server specifies nothing or a
    /// malformed time. The `Age` of a response that was stale on arrival is not subtracted.
    public var staleIfError: Duration? { headers.staleIfError }
}

extension HTTPHeaders {
    /// How long a response with these headers is fresh from its arrival: see ``ResponseInterface/freshness(now:)``.
    package func freshness(now: Date) -> Duration? {
        let control = cacheControl
        guard !control.forbidsReuse, !variesWithEverything else { return .zero }
        // The age by the client's own clock is left out: a wrong clock would make everything stale.
        let age = self["Age"].flatMap { FieldElement.list($0).first }.flatMap { DeltaSeconds.parse($0.head.name) } ?? 0
        guard let lifetime = control.maxAge ?? secondsToExpiry(now: now) else { return nil }
        return .seconds(lifetime > age ? lifetime - age : 0)
    }

    /// See ``ResponseInterface/staleWhileRevalidate``.
    package var staleWhileRevalidate: Duration? { staleness(\.staleWhileRevalidate) }

    /// See ``ResponseInterface/staleIfError``.
    package var staleIfError: Duration? { staleness(\.staleIfError) }

    private func staleness(_ seconds: (CacheControl) -> Int64?) -> Duration? {
        let control = cacheControl
        guard !control.forbidsStaleReuse, !variesWithEverything else { return .zero }
        return seconds(control).map { .seconds($0) }
    }

    private var cacheControl: CacheControl { CacheControl(self["Cache-Control"] ?? "") }

    /// True if no later request is known to get the same response (RFC 9110, 12.5.5).
    private var variesWithEverything: Bool {
        self["Vary"].map { FieldElement.list($0).contains { $0.head.name == "*" } } ?? false
    }

    /// A malformed date, such as "0", is in the past (RFC 9111, 5.3).
    private func secondsToExpiry(now: Date) -> Int64? {
        guard let text = self["Expires"] else { return nil }
        guard let expires = HTTPDate.date(text, now: now) else { return 0 }
        return DeltaSeconds.whole(expires.timeIntervalSince(date(now: now)))
    }

    /// The date at which the server wrote the response, by its own clock. `now` if the response has no date.
    private func date(now: Date) -> Date {
        self["Date"].flatMap { HTTPDate.date($0, now: now) } ?? now
    }

    /// How long the server asks to wait before the next request (RFC 9110, 10.2.3), given in seconds or as a date. Not
    /// negative, and at most 2³¹ seconds. Any other text has no effect.
    ///
    /// - Parameter now: Needed for a date in a response without a date of its own.
    package func retryAfter(now: @autoclosure () -> Date = Date()) -> Duration? {
        guard let text = self["Retry-After"]?.trimmed else { return nil }
        if let seconds = DeltaSeconds.parse(text) { return .seconds(seconds) }
        let now = now()
        guard let time = HTTPDate.date(text, now: now) else { return nil }
        return .seconds(DeltaSeconds.whole(time.timeIntervalSince(date(now: now))))
    }
}
