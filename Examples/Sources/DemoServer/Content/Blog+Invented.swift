import DemoHTTP

extension Blog {
    /// Invents 10 users, 10 posts of each, and 5 comments on each post.
    static func invented(seed: UInt64) -> Blog {
        var prose = Prose(random: SeededRandom(seed: seed))
        let users = (1...10).map { prose.user(id: $0) }
        let posts = (1...100).map { prose.post(id: $0, userId: ($0 - 1) / 10 + 1) }
        let comments = (1...500).map { prose.comment(id: $0, postId: ($0 - 1) / 5 + 1) }
        return Blog(users: users, posts: posts, comments: comments)
    }
}

extension Prose {
    fileprivate mutating func user(id: Int) -> User {
        // Two names of the list for each of ten users, so that no two share one.
        let given = Words.givenNames[(2 * (id - 1) + random.number(below: 2)) % Words.givenNames.count]
        let family = random.pick(Words.familyNames)
        let username = given.lowercased() + "." + family.lowercased()
        return User(
            id: id, name: "\(given) \(family)", username: username, email: username + "@example.org",
            address: address(), phone: "555-01\(random.number(in: 10...99))",
            website: family.lowercased() + ".example.org", company: company(of: family))
    }

    fileprivate mutating func post(id: Int, userId: Int) -> Post {
        Post(id: id, userId: userId, title: title(), body: paragraph(sentences: random.number(in: 2...4)))
    }

    fileprivate mutating func comment(id: Int, postId: Int) -> Comment {
        let email = random.pick(Words.givenNames).lowercased() + "\(random.number(in: 10...99))@example.net"
        return Comment(id: id, postId: postId, name: title(), email: email, body: opinion())
    }

    private mutating func address() -> User.Address {
        User.Address(
            street: random.pick(Words.streets), suite: "Flat \(random.number(in: 1...40))",
            city: random.pick(Words.cities), zipcode: "\(random.number(in: 10000...99999))",
            geo: .init(lat: degrees(limit: 90), lng: degrees(limit: 180)))
    }

    private mutating func company(of family: String) -> User.Company {
        let words = (0..<3).map { _ in random.pick(Words.adjectives) }
        return User.Company(
            name: "\(family) \(random.pick(Words.trades))",
            catchPhrase: "\(words[0].capitalizingFirst) work, \(words[1]) people",
            bs: "keep every \(random.pick(Words.things)) \(words[2])")
    }

    private mutating func degrees(limit: Int) -> String {
        "\(random.number(in: (1 - limit)...(limit - 1))).\(random.number(in: 1000...9999))"
    }
}
