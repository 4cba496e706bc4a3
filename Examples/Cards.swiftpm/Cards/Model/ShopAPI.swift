import Foundation
import PigeonHTTP
import PigeonUI

/// What the server offers.
struct ShopAPI: Sendable {
    let dispatcher: NetworkDispatcher
    /// Kept here: the dispatcher holds its server weakly.
    let server: FixedServer

    struct Cards: Decodable {
        let cards: [Card]
    }

    func cards(page: Int) async throws -> [Card] {
        let answer: Cards = try await dispatcher.value(
            from: .get("/cards", queryItems: [URLQueryItem(name: "page", value: "\(page)")]))
        return answer.cards
    }

    func card(_ id: Card.ID) -> QueryDefinition<Card> {
        QueryDefinition("cards", id) { [dispatcher] _ in try await dispatcher.value(from: .get("/cards/\(id)")) }
            .staleAfter(.seconds(500))
            .persisted()
    }

    var people: QueryDefinition<[Person]> {
        QueryDefinition("people") { [dispatcher] context in
            try await dispatcher.value(from: .get("/people"), for: context)
        }
        .staleAfter(.seconds(30))
        .persisted()
    }
}

/// Gives somebody another name: shown at once, sent when there is a network, taken back if the server refuses.
struct RenamePerson: Mutating {
    let api: ShopAPI
    let id: Person.ID
    let name: String

    func run(_ context: MutationContext) async throws -> Person {
        try await api.dispatcher.value(from: .patch("/people/\(id)", json: ["name": name]))
    }

    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(api.people) { [id, name] people in
            for index in people.indices where people[index].id == id { people[index].name = name }
        }
    }

    func invalidates(_ person: Person) -> [KeyFilter] { [.key("people")] }

    var scope: String? { "people" }
}
