import DemoHTTP
import Foundation

extension Content {
    /// Invents some 30 users with some 500 repositories, the same ones for the same seed.
    ///
    /// `lumen` has 110 repositories, `hideo`, `tove` and `kestrel-labs` have more than 40; the 40 of all that were updated
    /// last belong to `kestrel-labs`. `ann` and `bob` have accounts and private repositories; `a`, `an` and `ann` are
    /// users, for who types a name. `edge-cases` has what is empty, long, wide or hostile.
    package static func invented(seed: UInt64 = 1) -> Content {
        var inventor = Inventor(random: SeededRandom(seed: seed))
        var repositories = people.flatMap { inventor.repositories(of: $0.user.login, count: $0.repositories) }
        repositories += inventor.privateRepositories()
        repositories += EdgeCases.repositories
        let users = people.map(\.user) + [User(login: EdgeCases.owner, name: "E\u{301}dge 边缘 🧪")]
        return Content(
            users: users, repositories: repositories,
            starred: ["ann": ["kestrel-labs/\(repositories.first { $0.owner == "kestrel-labs" }?.name ?? "")"]])
    }

    private static let people: [(user: User, repositories: Int)] = [
        (User(login: "ann", name: "Ann Lindqvist"), 24), (User(login: "an", name: nil), 3),
        (User(login: "a", name: "A."), 1), (User(login: "anna", name: "Änna Ødegård"), 0),
        (User(login: "bob", name: "Bob Marlow"), 12),
        (User(login: "kestrel-labs", name: "Kestrel Labs", isOrganization: true), 44),
        (User(login: "lumen", name: "Lumen Okafor"), 110), (User(login: "hideo", name: "中村 秀夫"), 45),
        (User(login: "tove", name: "Tove Birke"), 41), (User(login: "Celia-H", name: "Célia Holm"), 9),
        (User(login: "dmitri", name: "Дмитрий Новак"), 14), (User(login: "elif", name: "Elif Ağaoğlu"), 7),
        (User(login: "farid", name: "فريد"), 6), (User(login: "greta", name: "Greta Dahl"), 11),
        (User(login: "ines", name: "Inês Fontaine"), 8), (User(login: "jonas", name: nil), 5),
        (User(login: "kaya", name: "Kaya 🦊"), 13), (User(login: "lorenz", name: "Lorenz Quill"), 10),
        (User(login: "mirela", name: "Mirela Petrov"), 4), (User(login: "nils", name: "Nils Thorne"), 16),
        (User(login: "odette", name: "Odette Sorel"), 3), (User(login: "pavel", name: "Pavel Jánský"), 12),
        (User(login: "quirin", name: ""), 2), (User(login: "rosa", name: "Rosa Ibarra"), 18),
        (User(login: "sanjay", name: "संजय"), 9), (User(login: "uma", name: "Uma Garrow"), 6),
        (User(login: "viktor", name: "Viktor Eriksen"), 7), (User(login: "wren", name: nil), 0),
        (User(login: "harbour-works", name: "Harbour Works", isOrganization: true), 20),
    ]
}
