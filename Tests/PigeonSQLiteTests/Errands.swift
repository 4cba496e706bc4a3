import Foundation
import PigeonCore
import PigeonOutbox
import PigeonSQLite

/// A shop that errands go to.
final class Shop: Sendable {
    struct Visit {
        let key: String
        let attempt: Int
        let isRestored: Bool
    }

    private let state = Locked<[Visit]>([])
    private let visit: @Sendable () async -> Void

    /// - Parameter visit: Happens in each attempt.
    init(_ visit: @escaping @Sendable () async -> Void = {}) {
        self.visit = visit
    }

    /// What the contexts said. The contexts themselves would retain their clients.
    var contexts: [Visit] { state.withLock { $0 } }
    var visits: Int { contexts.count }

    func go(_ context: MutationContext) async {
        let visit = Visit(
            key: context.idempotencyKey, attempt: context.attempt, isRestored: context.isRestored)
        state.withLock { $0.append(visit) }
        await self.visit()
    }
}

/// A mutation of which only the text matters.
struct Errand: DurableMutation {
    var text: String
    var scope: String?

    init(_ text: String, scope: String? = nil) {
        (self.text, self.scope) = (text, scope)
    }

    func run(_ context: MutationContext) async throws -> String {
        try await context[Shop.self].go(context)
        return text
    }
}

extension QueryClient {
    /// A client with errands.
    static func errands(
        in store: any MutationStore, _ shop: Shop = Shop(), isOnline: Bool = true,
        leaseTime: Duration = .seconds(5), session: String? = nil
    ) -> QueryClient {
        QueryClient(
            outbox: Outbox.Setup(store: store, mutations: [Errand.self], session: session, leaseTime: leaseTime),
            dependencies: Dependencies(shop),
            environment: QueryEnvironment(connectivity: EnvironmentSignal(isOnline)))
    }
}

extension TestFile {
    func openMutations() throws -> SQLiteMutationStore { try SQLiteMutationStore(at: url) }

    /// Leaves errands that were not made.
    func leave(_ texts: [String]) async throws {
        let client = QueryClient.errands(in: try openMutations(), isOnline: false)
        for text in texts { try await client.enqueue(Errand(text)) }
    }
}

extension OutboxSnapshot {
    var texts: [String] { waiting.compactMap { ($0.mutation as? Errand)?.text } }
}
