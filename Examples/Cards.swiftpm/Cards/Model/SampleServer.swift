import Foundation
import PigeonHTTP

/// A server inside the app: it has cards by the page, and people, one of whom cannot be renamed.
struct SampleServer: Sendable {
    /// Reaches the server. Tests look at its requests.
    let transport = MockTransport()

    static let pageSize = 20

    /// Starts it.
    ///
    /// - Parameter delay: How long each answer takes.
    init(delay: Duration = .milliseconds(400)) {
        let people = People()
        transport.answer(.get, "/cards") { request, _ in
            let page = request.query("page").flatMap { Int($0) } ?? 0
            let cards = Self.cards.dropFirst(max(page, 0) * Self.pageSize).prefix(Self.pageSize)
            return try .json(["cards": Array(cards)]).after(delay)
        }
        transport.answer(.get, "/cards/:id") { _, values in
            guard let card = Self.cards.first(where: { $0.id == values["id"] }) else { return .status(.notFound) }
            return try .json(card).after(delay)
        }
        transport.answer(.get, "/people") { _, _ in
            try .json(await people.all).after(delay)
        }
        transport.answer(.patch, "/people/:id") { request, values in
            let change: [String: String] = try request.json()
            guard let id = values.integer("id"), let name = change["name"], !name.isEmpty,
                let person = await people.rename(id, to: name)
            else { return .status(.unprocessableEntity).after(delay) }
            return try .json(person).after(delay)
        }
    }

    static let cards: [Card] = (1...70).map { number in
        let animal = ["Heron", "Otter", "Lynx", "Raven", "Toad", "Marten", "Swift"][number % 7]
        let element = ["Fire", "Frost", "Stone", "Storm", "Dusk"][number % 5]
        return Card(
            id: "\(number)", name: "\(element) \(animal)", text: "Number \(number) of 70. Worth \(number * 3) points.")
    }
}

private actor People {
    var all = ["Ann", "Bea", "Cleo", "Dora"].enumerated().map { Person(id: $0 + 1, name: $1) }

    /// Dora keeps her name.
    func rename(_ id: Int, to name: String) -> Person? {
        guard let index = all.firstIndex(where: { $0.id == id }), id != 4 else { return nil }
        all[index].name = name
        return all[index]
    }
}
