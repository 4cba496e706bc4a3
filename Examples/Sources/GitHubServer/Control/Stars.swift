import Foundation

/// Knows who starred what, and the counts, which follow later.
struct Stars {
    private struct Change {
        let repository: String
        let step: Int
        let due: Date
    }

    private var starred: [String: Set<String>] = [:]
    private var counts: [String: Int] = [:]
    private var changes: [Change] = []

    init(_ content: Content) {
        for repository in content.repositories { counts[repository.key] = repository.stars }
        for (login, names) in content.starred { starred[login] = Set(names.map { $0.lowercased() }) }
    }

    func isStarred(_ repository: Repository, by login: String) -> Bool {
        starred[login]?.contains(repository.key) ?? false
    }

    mutating func star(_ repository: Repository, by login: String, due: Date) {
        guard starred[login, default: []].insert(repository.key).inserted else { return }
        changes.append(Change(repository: repository.key, step: 1, due: due))
    }

    mutating func unstar(_ repository: Repository, by login: String, due: Date) {
        guard starred[login]?.remove(repository.key) != nil else { return }
        changes.append(Change(repository: repository.key, step: -1, due: due))
    }

    /// Takes the changes that are due into the counts.
    mutating func settle(now: Date) {
        for change in changes where change.due <= now { counts[change.repository, default: 0] += change.step }
        changes.removeAll { $0.due <= now }
    }

    func count(of repository: Repository) -> Int {
        counts[repository.key] ?? 0
    }
}
