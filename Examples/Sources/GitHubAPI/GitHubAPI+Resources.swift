package import Foundation
package import PigeonREST

extension GitHubAPI {
    /// The repositories that somebody worked on lately.
    package var activeRepositories: TypedResource<[Repository]> {
        service.resource("/search/repositories")
            .withParams(["q": "stars:>0", "sort": "updated", "order": "desc"]).typed()
    }

    /// Whoever is signed in.
    package var currentUser: TypedResource<User> { service.resource("/user").typed() }

    /// A user by name, whatever its case.
    package func user(_ name: String) -> TypedResource<User> {
        // No name has a slash; one that was typed must not lead elsewhere.
        service.resource("/users").child(name.lowercased().replacing("/", with: "%2F")).typed()
    }

    /// What a user has, the newest first.
    package func repositories(of user: User) -> TypedResource<[Repository]>? {
        service.resource("/users").optionalRelative(user.repositoriesURL)?.withParam("sort", "updated").typed()
    }

    package func repository(ownedBy owner: String, named name: String) -> TypedResource<Repository> {
        service.resource("/repos").child(owner).child(name).typed()
    }

    /// A repository's own resource, as a list links to it.
    package func repository(_ repository: Repository) -> TypedResource<Repository> {
        service.resource("/repos").relative(repository.url).typed()
    }

    package func contributors(of repository: Repository) -> TypedResource<[User]>? {
        service.resource("/repos").optionalRelative(repository.contributorsURL)?.typed()
    }

    /// The bytes written in each language.
    package func languages(of repository: Repository) -> TypedResource<[String: Int]>? {
        service.resource("/repos").optionalRelative(repository.languagesURL)?.typed()
    }

    /// Whether the one who is signed in has starred a repository.
    package func currentUserStarred(_ repository: Repository) -> TypedResource<Bool> {
        service.resource("/user/starred").child(repository.owner.login).child(repository.name).typed()
    }

    /// A picture: one resource, however many show it.
    package func image(_ address: String) -> TypedResource<Data> {
        images.resource(absoluteURL: address).typed()
    }
}
