/// A pattern with stars and question marks. Text is compared byte by byte. Matching never takes exponential time.
struct Glob: Sendable {
    /// The wildcards that a pattern may use. All other characters are literal text.
    enum Wildcards {
        /// `*` for any characters except "/".
        case star
        /// In addition to `*`: `**` for any characters including "/", where `/**/` also matches a single "/", and `?`
        /// for one character except "/".
        case all
    }

    private enum Token: Sendable {
        case literal([UInt8])
        case one
        /// Any number of characters, including or excluding slashes.
        case many(slashes: Bool)
        /// No characters, or any characters of which the last is a slash.
        case directories
    }

    private var tokens: [Token] = []

    /// - Parameter prefix: Literal text before the pattern. Stars and question marks in it are not wildcards.
    init(_ pattern: some Sequence<UInt8>, after prefix: [UInt8] = [], only wildcards: Wildcards = .all) {
        var rest = Array(pattern)[...]
        if !prefix.isEmpty { tokens.append(.literal(prefix)) }
        var isAfterSlash = prefix.last == Self.slash
        while !rest.isEmpty {
            let literal = rest.prefix { $0 != Self.star && ($0 != Self.mark || wildcards == .star) }
            if !literal.isEmpty { tokens.append(.literal(Array(literal))) }
            rest = rest.dropFirst(literal.count)
            let marks = rest.prefix { $0 == Self.mark }.count
            tokens += Array(repeating: .one, count: marks)
            let stars = rest.dropFirst(marks).prefix { $0 == Self.star }.count
            rest = rest.dropFirst(marks + stars)
            if let last = literal.last { isAfterSlash = last == Self.slash }
            let canBeDirectories = isAfterSlash && marks == 0 && rest.first == Self.slash
            isAfterSlash = false
            guard stars > 0 else { continue }
            let isDeep = stars > 1 && wildcards == .all
            if isDeep, canBeDirectories {
                tokens.append(.directories)
                rest = rest.dropFirst()
                isAfterSlash = true
            } else {
                tokens.append(.many(slashes: isDeep))
            }
        }
    }

    private static let (star, mark, slash) = (UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "/"))

    /// Returns true if the whole text matches.
    func matches(_ text: some Collection<UInt8>) -> Bool {
        let text = Array(text)
        var ends = [0]  // possible end positions of the tokens so far, in ascending order
        for token in tokens {
            ends = Self.ends(after: token, from: ends, in: text)
            guard !ends.isEmpty else { return false }
        }
        return ends.last == text.count
    }

    private static func ends(after token: Token, from starts: [Int], in text: [UInt8]) -> [Int] {
        switch token {
        case .literal(let literal):
            return starts.filter { text[$0...].starts(with: literal) }.map { $0 + literal.count }
        case .one:
            return starts.compactMap { text.characterEnd(at: $0) }
        case .many(let slashes):
            var ends: [Int] = []
            for start in starts where start > ends.last ?? -1 {
                let end = slashes ? nil : text[start...].firstIndex(of: slash)
                ends += start...(end ?? text.count)
            }
            return ends
        case .directories:
            var ends: [Int] = []
            var isOpen = false
            var next = starts[...]
            for position in (starts.first ?? 0)...text.count {
                let isStart = next.first == position
                if isStart { next = next.dropFirst() }
                if isStart || isOpen && text[position - 1] == slash { ends.append(position) }
                isOpen = isOpen || isStart
            }
            return ends
        }
    }
}

extension [UInt8] {
    /// Returns the end of the character that begins at a position. `nil` at the end of the text, and for a slash. An
    /// escape sequence counts as one character.
    fileprivate func characterEnd(at start: Int) -> Int? {
        guard start < count, self[start] != UInt8(ascii: "/") else { return nil }
        guard let first = escapedByte(at: start) else { return start + 1 }
        var end = start + 3
        guard first >= 0xC0 else { return end }
        while let byte = escapedByte(at: end), byte & 0xC0 == 0x80 { end += 3 }
        return end
    }

    private func escapedByte(at position: Int) -> UInt8? {
        guard position < count, self[position] == UInt8(ascii: "%") else { return nil }
        return self[(position + 1)...].escapedByte
    }
}
