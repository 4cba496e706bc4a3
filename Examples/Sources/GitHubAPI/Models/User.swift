/// Someone at GitHub, or an organization.
package struct User: Codable, Hashable, Sendable {
    package var login: String
    package var name: String?
    package var avatarURL: String?
    package var repositoriesURL: String?

    enum CodingKeys: String, CodingKey {
        case login, name
        case avatarURL = "avatar_url"
        case repositoriesURL = "repos_url"
    }
}
