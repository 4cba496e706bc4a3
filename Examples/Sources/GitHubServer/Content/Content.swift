/// What a ``GitHubServer`` knows when it starts.
package struct Content: Sendable {
    package var users: [User]
    package var repositories: [Repository]
    /// The full names of what each login has starred.
    package var starred: [String: [String]]

    package init(users: [User], repositories: [Repository], starred: [String: [String]] = [:]) {
        self.users = users
        self.repositories = repositories
        self.starred = starred
    }
}
