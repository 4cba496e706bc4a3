/// An item of the tests: a user, and the part of it that a list has.
struct ItemUser: Identifiable, Codable, Equatable, Sendable {
    let id: Int
    var name: String
    var likes = 0

    var row: ItemRow {
        get { ItemRow(id: id, name: name) }
        set { name = newValue.name }
    }
}

struct ItemRow: Identifiable, Codable, Equatable, Sendable {
    let id: Int
    var name: String
}
