/// Finds users and repositories by name, whatever the case.
struct Directory: Sendable {
    let users: [User]
    let repositories: [Repository]
    private let usersByLogin: [String: Int]
    private let repositoriesByName: [String: Int]

    init(_ content: Content) {
        users = content.users
        repositories = content.repositories
        let logins = users.enumerated().map { ($1.login.lowercased(), $0) }
        usersByLogin = Dictionary(logins) { first, _ in first }
        let names = repositories.enumerated().map { ($1.key, $0) }
        repositoriesByName = Dictionary(names) { first, _ in first }
    }

    func user(_ login: String) throws(Refusal) -> User {
        guard let index = usersByLogin[login.lowercased()] else { throw .notFound }
        return users[index]
    }

    func number(ofUser login: String) -> Int {
        (usersByLogin[login.lowercased()] ?? -1) + 1
    }

    /// Returns a repository that a viewer may see; to others, a private one does not exist.
    func repository(_ owner: String, _ name: String, seenBy viewer: String?) throws(Refusal) -> Repository {
        guard let index = repositoriesByName["\(owner)/\(name)".lowercased()] else { throw .notFound }
        guard repositories[index].isSeen(by: viewer) else { throw .notFound }
        return repositories[index]
    }

    func number(of repository: Repository) -> Int {
        (repositoriesByName[repository.key] ?? -1) + 1
    }
}

extension Repository {
    func isSeen(by viewer: String?) -> Bool {
        !isPrivate || viewer == owner
    }
}
