/// The words and conditions of a search: `lantern stars:>10 user:ann language:swift`.
struct SearchQuery {
    private enum Condition {
        case text(String)
        case stars(ClosedRange<Int>)
        case owner(String)
        case language(String)
    }

    private var conditions: [Condition] = []

    init(_ text: String) throws(Refusal) {
        for word in text.split(whereSeparator: \.isWhitespace) {
            conditions.append(try Self.condition(word.lowercased()))
        }
        guard !conditions.isEmpty else { throw .invalid("q", of: "Search", code: "missing") }
    }

    func matches(_ repository: Repository, stars: Int) -> Bool {
        conditions.allSatisfy { condition in
            switch condition {
            case .text(let text):
                repository.name.lowercased().contains(text)
                    || repository.description?.lowercased().contains(text) ?? false
            case .stars(let range): range.contains(stars)
            case .owner(let login): repository.owner.lowercased() == login
            case .language(let name): repository.languages.keys.contains { $0.lowercased() == name }
            }
        }
    }

    private static func condition(_ word: String) throws(Refusal) -> Condition {
        let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return .text(word) }
        switch parts[0] {
        case "stars":
            guard let range = range(parts[1]) else { throw .invalid("q", of: "Search") }
            return .stars(range)
        case "user", "org": return .owner(parts[1])
        case "language": return .language(parts[1])
        default: return .text(word)
        }
    }

    private static func range(_ text: String) -> ClosedRange<Int>? {
        let digits = text.drop { "<>=".contains($0) }
        guard let number = Int(digits), (0...1_000_000_000).contains(number) else { return nil }
        switch text.prefix(text.count - digits.count) {
        case ">": return number + 1...Int.max
        case ">=": return number...Int.max
        case "<": return number > 0 ? 0...number - 1 : nil
        case "<=": return 0...number
        case "": return number...number
        default: return nil
        }
    }
}
