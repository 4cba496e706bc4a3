/// Users and repositories as a client reads them.
struct UserRecord: Decodable, Equatable {
    let login: String
    let name: String?
    let avatarUrl: String
    let reposUrl: String
    let publicRepos: Int?
    let contributions: Int?
}

struct RepositoryRecord: Decodable {
    let id: Int
    let name: String
    let fullName: String
    let url: String
    let description: String?
    let homepage: String?
    let stargazersCount: Int
    let languagesUrl: String
    let contributorsUrl: String
    let owner: UserRecord
    let `private`: Bool
    let updatedAt: String
}

struct SearchRecord: Decodable {
    let totalCount: Int
    let items: [RepositoryRecord]
}
