import DemoHTTP
import Foundation

/// Makes up repositories.
struct Inventor {
    var random: SeededRandom
    private let newest = Date(timeIntervalSince1970: 1_767_225_600)

    init(random: SeededRandom) {
        self.random = random
    }

    mutating func repositories(of owner: String, count: Int) -> [Repository] {
        // A stride without a factor in common with the number of names: no name comes twice.
        let start = random.number(below: 400)
        return (0..<count).map { repository(of: owner, name: name((start + $0 * 63) % 400), index: $0) }
    }

    mutating func privateRepositories() -> [Repository] {
        [("ann", "secret-plans"), ("ann", "tax-2025"), ("bob", "diary")].enumerated().map { index, name in
            var repository = repository(of: name.0, name: name.1, index: index)
            repository.isPrivate = true
            return repository
        }
    }

    private func name(_ index: Int) -> String {
        Words.adjectives[index / 20] + "-" + Words.things[index % 20]
    }

    private mutating func repository(of owner: String, name: String, index: Int) -> Repository {
        let isActive = owner == "kestrel-labs" && index < 40
        // Whole days of others are older than the minutes of the active ones.
        let age = isActive ? index * 60 : 86_400 * random.number(in: 1...1500) + random.number(below: 86_400)
        let updatedAt = newest.addingTimeInterval(-Double(age))
        let createdAt = updatedAt.addingTimeInterval(-86_400 * Double(random.number(in: 0...900)))
        var repository = Repository(owner: owner, name: name, createdAt: createdAt, updatedAt: updatedAt)
        repository.stars = max(stars(), isActive ? 1 : 0)
        repository.description = description()
        repository.homepage = random.number(below: 4) == 0 ? "https://\(name).example.org" : nil
        repository.languages = languages()
        repository.contributors = contributors(owner: owner)
        return repository
    }

    private mutating func stars() -> Int {
        switch random.number(below: 10) {
        case 0, 1: 0
        case 2...6: random.number(in: 1...60)
        case 7, 8: random.number(in: 60...3000)
        default: random.number(in: 3000...90_000)
        }
    }

    private mutating func description() -> String? {
        switch random.number(below: 8) {
        case 0: nil
        case 1: ""
        default: "A program that \(random.pick(Words.purposes)), and \(random.pick(Words.purposes)) too."
        }
    }

    private mutating func languages() -> [String: Int] {
        let count = random.number(below: 5)
        let pairs = (0..<count).map { _ in (random.pick(Words.languages), random.number(in: 40...900_000)) }
        return Dictionary(pairs) { first, _ in first }
    }

    private mutating func contributors(owner: String) -> [Repository.Contributor] {
        var logins = ["ann", "bob", "hideo", "tove", "greta", "kaya", "nils", "rosa"].filter { $0 != owner }
        let others = random.number(below: 5)
        var contributors = [Repository.Contributor(login: owner, contributions: random.number(in: 50...900))]
        for _ in 0..<others {
            let login = logins.remove(at: random.number(below: logins.count))
            contributors.append(.init(login: login, contributions: random.number(in: 1...49)))
        }
        return contributors.sorted { $0.contributions > $1.contributions }
    }
}
