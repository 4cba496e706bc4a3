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
