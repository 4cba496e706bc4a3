import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI

struct Person: Codable, Hashable, Identifiable, Sendable {
    var id: Int
    var name: String
}

struct Refused: LocalizedError {
    var errorDescription: String? { "The server refused." }
}

let ann = Person(id: 1, name: "Ann")
let bob = Person(id: 2, name: "Bob")

/// A lab whose client views fetch with, and a fetcher that answers when told.
@MainActor
struct Stage {
    let lab = QueryLab()
    let fetcher: ScriptedFetcher<[Person]>

    init() {
        fetcher = lab.fetcher(returning: [Person].self)
    }

    var people: QueryDefinition<[Person]> { people("people") }

    func people(_ key: QueryKey) -> QueryDefinition<[Person]> {
        QueryDefinition(key, fetch: fetcher.fetch)
    }

    func screen(rows: Int = .max, @ViewBuilder _ content: @escaping @MainActor () -> some View) -> Screen {
        let client = lab.client
        return Screen(visibleRows: rows) { content().environment(\.queryClient, client) }
    }
}

/// What a parent of the view under test decides, from one build to the next.
@MainActor
final class Choice<Value> {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// Names, one a row.
@MainActor
func names(_ people: [Person]) -> some View {
    List(people) { Text($0.name) }
}

/// Records the texts that are announced.
@MainActor
final class Heard {
    var texts: [String] = []
}
