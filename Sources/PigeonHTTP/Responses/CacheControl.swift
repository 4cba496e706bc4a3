public import Foundation

/// The directives of a `Cache-Control` field (RFC 9111, 5.2). Those that nobody asks for are passed over.
struct CacheControl {
    private var directives: [String: String] = [:]

    init(_ text: String) {
        for directive in text.splitOutsideOfQuotes {
            let halves = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = halves[0].trimmed.lowercased()
            // The first one counts, where there are several (RFC 9111, 4.2.1).
            guard !name.isEmpty, directives[name] == nil else { continue }
            directives[name] = halves.count > 1 ? halves[1].trimmed.replacing("\"", with: "") : ""
        }
    }

    /// Whether a copy must not be used without asking: also where a field is named that alone may not be.
    var forbidsReuse: Bool { directives["no-store"] != nil || directives["no-cache"] != nil }

    /// How long an answer is fresh, in seconds. Zero for a text that says no time, as RFC 9111, 4.2.1 advises.
    var maxAge: Int? { directives["max-age"].map { DeltaSeconds.parse($0) ?? 0 } }
}

/// Whole seconds in a header field (RFC 9111, 1.2.2).
enum DeltaSeconds {
    /// The number of a text of digits, at most 2³¹; `nil` for any other text.
    static func parse(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return min(Int(text) ?? .max, longest)
    }

    /// The whole seconds of an interval, none for one that is negative.
    static func whole(_ interval: Double) -> Int {
        Int(min(max(0, interval), Double(longest)))
    }

    private static let longest = 1 << 31
}

extension String {
    /// The elements of a list, whose commas inside of quotes are none.
    fileprivate var splitOutsideOfQuotes: [Substring] {
        var isQuoted = false
        var isEscaped = false
        return split { character in
            defer { isEscaped = isQuoted && !isEscaped && character == "\\" }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
    }
}

extension ResponseInterface {
    /// What the server gave to ask later whether the answer has changed.
    public var validators: FetchValidators {
        FetchValidators(eTag: headers["ETag"], lastModified: headers["Last-Modified"])
    }

    /// How long the answer is fresh from now on, as the server says (RFC 9111, 4.2): by `Cache-Control`'s `max-age`, or by
    /// `Expires` and `Date`, less the `Age` it spent in caches.
    ///
    /// Zero when a copy must not be used without asking: `no-store`, `no-cache`, `Vary: *`, or a time that is none. Nothing
    /// is guessed when the server says nothing. What only shared caches obey is passed over.
    ///
    /// - Parameter now: The time at which the answer came. Needed for answers that expire and have no date.
    /// - Returns: At least zero and at most 2³¹ seconds, or `nil` when the server says nothing.
    public func freshness(now: Date = Date()) -> Duration? {
        headers.freshness(now: now)
    }
}

extension HTTPHeaders {
    /// How long an answer with these headers is fresh from when it came: see ``ResponseInterface/freshness(now:)``.
    package func freshness(now: Date) -> Duration? {
        let control = CacheControl(self["Cache-Control"] ?? "")
        guard !control.forbidsReuse, self["Vary"]?.trimmed != "*" else { return .zero }
        // The age by the client's own clock is left out: one that is wrong would make everything stale.
        let age = DeltaSeconds.parse(self["Age"]?.trimmed ?? "") ?? 0
        guard let lifetime = control.maxAge ?? secondsToExpiry(now: now) else { return nil }
        return .seconds(lifetime > age ? lifetime - age : 0)
    }

    /// A date that is none, "0" for example, is in the past (RFC 9111, 5.3).
    private func secondsToExpiry(now: Date) -> Int? {
        guard let text = self["Expires"] else { return nil }
        guard let expires = HTTPDate.date(text, now: now) else { return 0 }
        return DeltaSeconds.whole(expires.timeIntervalSince(date(now: now)))
    }

    /// When the server wrote the answer, by its own clock; `now` if it does not say.
    private func date(now: Date) -> Date {
        self["Date"].flatMap { HTTPDate.date($0, now: now) } ?? now
    }

    /// How long the server asks to wait before the next request (RFC 9110, 10.2.3): seconds or a date. Not negative, and
    /// at most 2³¹ seconds; what is neither is passed over.
    ///
    /// - Parameter now: Needed for a date in an answer that has no date itself.
    package func retryAfter(now: @autoclosure () -> Date = Date()) -> Duration? {
        guard let text = self["Retry-After"]?.trimmed else { return nil }
        if let seconds = DeltaSeconds.parse(text) { return .seconds(seconds) }
        let now = now()
        guard let time = HTTPDate.date(text, now: now) else { return nil }
        return .seconds(DeltaSeconds.whole(time.timeIntervalSince(date(now: now))))
    }
}
