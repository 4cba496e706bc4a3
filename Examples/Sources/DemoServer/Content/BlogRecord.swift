/// A record that the server keeps and serves.
protocol BlogRecord: Codable, Sendable {
    /// What one is called in a message.
    static var noun: String { get }
    /// The fields by which a list can be narrowed.
    static var filters: [(name: String, value: @Sendable (Self) -> String)] { get }
    var id: Int { get }
    /// Refuses values of the right types that the server does not take.
    func validate() throws(Refusal)
}

extension BlogRecord {
    func validate() throws(Refusal) {}
}

extension Array where Element: BlogRecord {
    func item(_ id: Int) throws(Refusal) -> Element {
        guard let item = first(where: { $0.id == id }) else { throw .notFound("\(Element.noun) \(id)") }
        return item
    }
}
