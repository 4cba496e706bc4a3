/// A card to collect.
struct Card: Codable, Identifiable, Hashable, Sendable {
    let id: Int
    var name: String
    let text: String
}

/// A message of the feed, about a card.
struct Post: Codable, Identifiable, Hashable, Sendable {
    let id: Int
    let author: String
    let text: String
    var card: Card
}

/// The person who is signed in.
struct User: Codable, Hashable, Sendable {
    let name: String
}
