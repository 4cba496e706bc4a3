/// A repository, as a list or its own resource has it.
package struct Repository: Codable, Hashable, Sendable {
    package var url: String
    package var name: String
    package var owner: User
    package var starCount: Int
    package var isPrivate: Bool
    package var description: String?
    package var homepage: String?
    package var contributorsURL: String?
    package var languagesURL: String?

    package var fullName: String { owner.login + "/" + name }

    enum CodingKeys: String, CodingKey {
        case url, name, owner, description, homepage
        case starCount = "stargazers_count"
        case isPrivate = "private"
        case contributorsURL = "contributors_url"
        case languagesURL = "languages_url"
    }
}
