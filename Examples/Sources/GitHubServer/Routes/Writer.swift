import Foundation

/// Writes users and repositories as GitHub's JSON does.
struct Writer {
    /// What every address begins with.
    let origin: String
    let directory: Directory
    let stars: Stars

    /// A user inside of something else, with fewer fields.
    func brief(_ login: String) -> JSON {
        let isOrganization = (try? directory.user(login))?.isOrganization ?? false
        return [
            "id": .number(directory.number(ofUser: login)), "login": .string(login),
            "avatar_url": .string("\(origin)/avatars/\(login).png"), "url": .string("\(origin)/users/\(login)"),
            "html_url": .string("\(origin)/\(login)"), "repos_url": .string("\(origin)/users/\(login)/repos"),
            "type": .string(isOrganization ? "Organization" : "User"), "site_admin": false,
        ]
    }

    func user(_ user: User) -> JSON {
        let count = directory.repositories.count { $0.owner == user.login && !$0.isPrivate }
        return brief(user.login).adding(["name": .text(user.name), "public_repos": .number(count)])
    }

    func contributor(_ contributor: Repository.Contributor) -> JSON {
        brief(contributor.login).adding(["contributions": .number(contributor.contributions)])
    }

    func repository(_ repository: Repository) -> JSON {
        let url = "\(origin)/repos/\(repository.fullName)"
        let language = repository.languages.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        return [
            "id": .number(directory.number(of: repository)), "name": .string(repository.name),
            "full_name": .string(repository.fullName), "private": .bool(repository.isPrivate),
            "owner": brief(repository.owner), "url": .string(url),
            "html_url": .string("\(origin)/\(repository.fullName)"),
            "description": .text(repository.description), "homepage": .text(repository.homepage),
            "language": .text(language), "languages_url": .string(url + "/languages"),
            "contributors_url": .string(url + "/contributors"), "fork": false,
            "stargazers_count": .number(stars.count(of: repository)),
            "created_at": .string(repository.createdAt.formatted(.iso8601)),
            "updated_at": .string(repository.updatedAt.formatted(.iso8601)),
            "pushed_at": .string(repository.updatedAt.formatted(.iso8601)),
        ]
    }
}
