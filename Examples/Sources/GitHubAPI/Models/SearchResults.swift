/// What a search found, one page of it.
struct SearchResults<Item: Decodable & Sendable>: Decodable, Sendable {
    let items: [Item]
}
