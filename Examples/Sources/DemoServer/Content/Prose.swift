import DemoHTTP

/// Writes readable sentences of invented content, the same ones for the same seed.
struct Prose {
    var random: SeededRandom

    mutating func title() -> String {
        let adjective = random.pick(Words.adjectives)
        let thing = random.pick(Words.things)
        switch random.number(below: 4) {
        case 0: return "The \(adjective) \(thing) \(random.pick(Words.places))"
        case 1: return "What \(random.pick(Words.people)) \(random.pick(Words.deeds)) \(random.pick(Words.times))"
        case 2: return "Notes on \(article(adjective)) \(adjective) \(thing)"
        default: return "How to keep \(article(adjective)) \(adjective) \(thing) \(random.pick(Words.places))"
        }
    }

    mutating func sentence() -> String {
        let adjective = random.pick(Words.adjectives)
        let object = "\(article(adjective)) \(adjective) \(random.pick(Words.things))"
        let deed = random.pick(Words.deeds)
        let person = random.pick(Words.people)
        switch random.number(below: 3) {
        case 0: return "\(person.capitalizingFirst) \(deed) \(object) \(random.pick(Words.places))."
        case 1: return "\(random.pick(Words.times).capitalizingFirst), \(person) \(deed) \(object)."
        default: return "There was \(object) \(random.pick(Words.places)), which \(person) \(deed)."
        }
    }

    mutating func paragraph(sentences: Int) -> String {
        (0..<sentences).map { _ in sentence() }.joined(separator: " ")
    }

    mutating func opinion() -> String {
        random.pick(Words.opinions) + ". " + sentence()
    }

    private func article(_ word: String) -> String {
        "aeiou".contains(word.first ?? " ") || word == "honest" ? "an" : "a"
    }
}

extension String {
    /// The text with a capital first letter, the rest as it was.
    var capitalizingFirst: String {
        prefix(1).uppercased() + dropFirst()
    }
}
