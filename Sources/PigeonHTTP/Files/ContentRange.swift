/// Which bytes of a whole an answer has (RFC 9110, 14.4).
struct ContentRange: Equatable {
    let first: Int64
    let last: Int64
    /// The bytes of the whole, where the server knows.
    let total: Int64?

    /// Reads a `Content-Range` such as `bytes 500-999/1234`; `nil` for other units and for what makes no sense.
    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let numbers = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        let range = numbers[0].split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, range.count == 2, let first = Self.number(range[0]),
            let last = Self.number(range[1]), first <= last
        else { return nil }
        total = Self.number(numbers[1])
        guard total != nil || numbers[1] == "*", total.map({ last < $0 }) ?? true else { return nil }
        self.first = first
        self.last = last
    }

    /// The length in a `Content-Range` such as `bytes */1234`, which says that there is nothing where it was asked for.
    static func unsatisfiedTotal(_ text: String) -> Int64? {
        let prefix = "bytes */"
        guard text.lowercased().hasPrefix(prefix) else { return nil }
        return number(text.dropFirst(prefix.count))
    }

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) ? Int64(text) : nil
    }
}
