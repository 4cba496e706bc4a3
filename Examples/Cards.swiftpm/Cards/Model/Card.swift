/// A card to collect.
struct Card: Codable, Identifiable, Hashable, Sendable {
    let id: String
    let name: String
    let text: String
}

/// Somebody who collects.
struct Person: Codable, Identifiable, Hashable, Sendable {
    let id: Int
    var name: String
}
