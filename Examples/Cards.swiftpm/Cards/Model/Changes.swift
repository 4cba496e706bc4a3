import PigeonUI

/// Gives a card another name: shown on all screens at once, sent when there is a network, taken back if the server refuses.
struct RenameCard: Mutating {
    let id: Card.ID
    let name: String

    func run(_ context: MutationContext) async throws -> Card {
        try await context[(any CardsAPI).self].rename(id, to: name)
    }

    func optimistic(_ edits: inout OptimisticEdits) {
        let (id, name) = (id, name)
        let renameInList: @Sendable (inout [Card]) -> Void = { cards in
            for index in cards.indices where cards[index].id == id { cards[index].name = name }
        }
        edits.update(.card(id)) { $0.name = name }
        edits.update(.cards, renameInList)
        edits.update(.path("search"), as: [Card].self, renameInList)
        edits.update(.feed) { pages in pages.update(where: { $0.card.id == id }) { $0.card.name = name } }
    }

    func invalidates(_ card: Card) -> [KeyFilter] { [.path(of: .cards), .path("search"), .query(.feed)] }

    /// Changes of one card are sent in their order.
    var scope: String? { "cards/\(id)" }
}

/// Signs in. The answer stays in the client's cache until it is cleared.
struct SignIn: Mutating {
    let name: String

    func run(_ context: MutationContext) async throws -> User {
        try await context[(any CardsAPI).self].signIn(as: name)
    }

    func succeeded(_ user: User, _ writes: CacheWrites) { writes.set(user, for: .me) }
}
