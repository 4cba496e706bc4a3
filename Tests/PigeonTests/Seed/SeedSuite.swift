import Foundation
import Pigeon
import Testing

/// The examples name no client or configuration, so each has those of a program of its own; one at a time, as they share
/// the process's `UserDefaults` and loader.
@MainActor
@Suite("The examples of Pigeon's own documentation", .serialized, OwnSharedState())
struct SeedSuite {
    static func begin() {
        Web.reset()
        QueryCache.setGlobal(.init(wrappedCache: InMemoryQueryCache()))
        UserDefaultsQueryCache.shared.removeAll()
    }

    /// Waits until a query succeeds or fails.
    static func outcome<Response: Sendable>(
        of query: some QueryType<Void, Response>
    ) async -> QueryState<Response> {
        await outcome(ofStates: query.states)
    }

    static func outcome<Response: Sendable>(
        ofStates states: AsyncStream<QueryState<Response>>
    ) async -> QueryState<Response> {
        for await state in states where state.value != nil || state.error != nil { return state }
        return .idle
    }
}

/// What the examples need of SwiftUI: views live on the main actor, and show text.
@MainActor
protocol View {}

struct Text: Equatable {
    let text: String
    init(_ text: String) { self.text = text }
}

struct List: Equatable {
    let rows: [Text]
    init<Row>(_ elements: [Row], row: (Row) -> Text) { rows = elements.map(row) }
}
