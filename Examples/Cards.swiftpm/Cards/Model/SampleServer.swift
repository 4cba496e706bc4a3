import Foundation
import PigeonHTTP
import PigeonUI

/// A server inside the app, so that there is nothing to set up.
struct SampleServer: Sendable {
    static let address = URL(string: "https://cards.example") ?? URL(fileURLWithPath: "/")
    static let pageSize = 10

    /// Reaches the server. Tests look at its requests.
    let transport: MockTransport
    /// Off: requests fail as without a network.
    let isReachable = EnvironmentSignal(true)
    /// Off: the server answers each request with an error.
    let isHealthy = EnvironmentSignal(true)
    private let delay: Duration

    /// - Parameters:
    ///   - delay: The time that each answer takes.
    ///   - clock: Measures it.
    init(delay: Duration = .milliseconds(400), clock: any QueryClock = SystemClock()) {
        transport = MockTransport(clock: clock)
        self.delay = delay
        let shelf = Shelf()
        on(.post, "/session") { request, _ in
            let name = try (request.json() as [String: String])["name"] ?? ""
            guard name.count > 1 else { return try Self.refusal("A name has two letters or more.") }
            return try .json(User(name: name))
        }
        on(.get, "/feed") { request, _ in
            let page = request.query("page").flatMap { Int($0) } ?? 1
            return try .json(await shelf.posts(page: page))
        }
        on(.get, "/cards") { _, _ in try .json(Array(await shelf.cards.prefix(12))) }
        on(.get, "/search") { request, _ in
            let text = request.query("name") ?? ""
            return try .json(await shelf.cards.filter { $0.name.localizedCaseInsensitiveContains(text) })
        }
        on(.get, "/cards/:id") { _, values in
            guard let card = await shelf.card(values.integer("id")) else { return .status(.notFound) }
            return try .json(card)
        }
        on(.get, "/pictures/:id") { _, values in .data(SamplePicture.bitmap(values.integer("id") ?? 0)) }
        on(.patch, "/cards/:id") { request, values in
            let name = try (request.json() as [String: String])["name"] ?? ""
            guard let card = await shelf.rename(values.integer("id"), to: name) else {
                return try Self.refusal("This card is signed by its artist and keeps its name.")
            }
            return try .json(card)
        }
    }

    private func on(_ method: HTTPMethod, _ path: PathPattern, _ answer: @escaping MockTransport.Handler) {
        transport.answer(method, path) { [isReachable, isHealthy, delay] request, values in
            guard isReachable.isOn else { throw URLError(.notConnectedToInternet) }
            guard isHealthy.isOn else {
                return try Self.refusal("The server is being repaired.", .serviceUnavailable).after(delay)
            }
            return try await answer(request, values).after(delay)
        }
    }

    private static func refusal(
        _ message: String, _ status: StatusCode = .unprocessableEntity
    ) throws -> MockAnswer {
        try .json(["message": message], status: status)
    }
}

/// The server's data: 70 cards, of which the user has 12, and 25 posts.
private actor Shelf {
    private(set) var cards: [Card] = (1...70).map { number in
        let animal = ["Heron", "Otter", "Lynx", "Raven", "Toad", "Marten", "Swift"][number % 7]
        let element = ["Fire", "Frost", "Stone", "Storm", "Dusk", "Dawn", "Moss", "Iron", "Rain", "Sand"][number % 10]
        return Card(
            id: number, name: "\(element) \(animal)", text: "Number \(number) of 70. Worth \(number * 3) points.")
    }

    func posts(page: Int) -> [Post] {
        (1...25).dropFirst(max(page - 1, 0) * SampleServer.pageSize).prefix(SampleServer.pageSize).map { number in
            let author = ["Ann", "Bea", "Cleo"][number % 3]
            let text = ["Look what I found!", "Who trades this one?", "My favourite.", "All seven!"][number % 4]
            return Post(id: number, author: author, text: text, card: cards[number * 11 % cards.count])
        }
    }

    func card(_ id: Int?) -> Card? { cards.first { $0.id == id } }

    /// The fourth card keeps its name.
    func rename(_ id: Int?, to name: String) -> Card? {
        guard let index = cards.firstIndex(where: { $0.id == id }), id != 4, !name.isEmpty else { return nil }
        cards[index].name = name
        return cards[index]
    }
}
