import Foundation
import PigeonCore
import PigeonQueryUI
import PigeonTesting
import SwiftUI
import ViewSupport

struct Person: Hashable, Identifiable, Sendable {
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

    func people(_ key: QueryKey = "people") -> QueryDefinition<[Person]> {
        QueryDefinition(key, fetch: fetcher.fetch)
    }

    func host(@ViewBuilder _ content: @escaping @MainActor () -> some View) -> ViewHost {
        let client = lab.client
        return ViewHost { content().environment(\.queryClient, client) }
    }

    /// Waits until the probes show these texts, and runs what is due meanwhile.
    func shows(_ texts: [String], in host: ViewHost) async -> Bool {
        let isShown = await host.wait { shown in
            lab.settle()
            return shown == texts
        }
        if !isShown { print("shown instead of \(texts): \(host.shown)") }
        return isShown
    }

    /// The number of those who observe the entry at a key.
    func observers(of key: QueryKey) -> Int { lab.client.report(of: key)?.observers.count ?? 0 }
}

/// What a parent of the view under test decides, from one build to the next.
@MainActor
final class Choice<Value> {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}
