package import Foundation

/// A repository. Its owner and its contributors are logins.
package struct Repository: Sendable {
    package var owner: String
    package var name: String
    package var description: String?
    package var homepage: String?
    package var stars = 0
    package var isPrivate = false
    package var createdAt: Date
    package var updatedAt: Date
    /// The bytes written in each language.
    package var languages: [String: Int] = [:]
    package var contributors: [Contributor] = []

    package init(owner: String, name: String, createdAt: Date, updatedAt: Date) {
        self.owner = owner
        self.name = name
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    package var fullName: String { owner + "/" + name }
    /// What the repository is found by: case does not matter.
    var key: String { fullName.lowercased() }
}

extension Repository {
    /// Someone who wrote in a repository, and how often.
    package struct Contributor: Sendable {
        package let login: String
        package let contributions: Int

        package init(login: String, contributions: Int) {
            self.login = login
            self.contributions = contributions
        }
    }
}
