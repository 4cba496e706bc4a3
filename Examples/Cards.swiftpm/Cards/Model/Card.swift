/// A card to collect.
public struct Card: Codable, Identifiable, Hashable, Sendable {
    public let id: String
    public let name: String
    public let text: String
}

/// Somebody who collects.
public struct Person: Codable, Identifiable, Hashable, Sendable {
    public let id: Int
    public var name: String
}
