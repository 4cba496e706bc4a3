package import PigeonREST

/// The main addresses as queries, with the configuration of the resources. Each shows the content of its resource.
extension QueryDefinition where Value == User {
    /// Whoever is signed in.
    package static func currentUser(of api: GitHubAPI) -> Self { api.currentUser.definition }

    /// A user by name, whatever its case.
    package static func user(_ name: String, of api: GitHubAPI) -> Self { api.user(name).definition }
}

extension QueryDefinition where Value == Repository {
    package static func repository(ownedBy owner: String, named name: String, of api: GitHubAPI) -> Self {
        api.repository(ownedBy: owner, named: name).definition
    }
}
