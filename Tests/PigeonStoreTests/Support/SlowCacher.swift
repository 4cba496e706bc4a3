import PigeonStore
import PigeonTesting

/// A cache that answers when a test says so. Initially, it answers at once.
final class SlowCacher: Cacher<Int, String>, @unchecked Sendable {  // its own property is immutable and Sendable
    let gate: Origin<Void>

    init(_ lab: QueryLab) {
        gate = Origin(lab) { _ in () }
        super.init()
    }

    override var queryKey: QueryKey { "slow" }

    /// Makes later calls with these names wait for an answer.
    func hold(_ names: String...) {
        gate.set { names.contains($0) ? nil : () }
    }

    override func loadData(param: Int) async throws -> String? {
        try await gate.ask("load")
        return try await super.loadData(param: param)
    }

    override func saveData(data: String?, param: Int) async throws {
        try await gate.ask("save")
        try await super.saveData(data: data, param: param)
    }

    func store(_ lab: QueryLab, _ origin: Origin<String>) -> AnyStoreFlowable<Int, String> {
        .from(cacher: self, fetcher: TextFetcher(origin: origin), param: 1, client: lab.client)
    }
}
