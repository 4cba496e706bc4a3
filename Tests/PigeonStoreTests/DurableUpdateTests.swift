import PigeonStore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

private struct SendSettings: DurableMutation {
    var text: String
    func run(_ context: MutationContext) async throws -> String {
        try context[Recorder<String>.self].append(text)
        return text
    }
}

@Suite("an update of a store that is sent whatever happens", .rule("O5"))
struct DurableUpdateTests {
    private struct SettingsFetcher: PigeonStore.Fetcher {
        func fetch(param: UnitHash) async throws -> String { "server" }
    }

    @Test("the cache changes at once, and the mutation is made when the network is back", .rule("O5"))
    func update() async throws {
        let sent = Recorder<String>()
        let setup = Outbox.Setup(store: InMemoryMutationStore(), mutations: [SendSettings.self])
        let lab = QueryLab(outbox: setup, dependencies: Dependencies(sent))
        lab.setOnline(false)
        let store = AnyStoreFlowable.from(
            cacher: Cacher<UnitHash, String>(expireSeconds: 60), fetcher: SettingsFetcher(), client: lab.client)
        let update = lab.start { try await store.update(newData: "new", enqueuing: SendSettings(text: "new")) }
        #expect(update.value?.id == 1)
        let shown = lab.start { try await store.requireData(from: .cache) }
        #expect(shown.value == "new")
        #expect(sent.all.isEmpty)
        lab.setOnline(true)
        #expect(sent.all == ["new"])
        #expect(lab.client.outbox.snapshot.isEmpty)
    }

    @Test(
        "an update, and an emptying, whose caller is cancelled is carried out, and the caller is told so", .rule("O5"))
    func cancelledCaller() {
        let setup = Outbox.Setup(store: InMemoryMutationStore(), mutations: [SendSettings.self])
        let lab = QueryLab(outbox: setup, dependencies: Dependencies(Recorder<String>()))
        let cacher = SlowCacher(lab)
        cacher.hold("save")
        let store = cacher.store(lab, Origin(lab) { _ in "server" })
        let update = lab.start { try await store.update(newData: "new", enqueuing: SendSettings(text: "new")) }
        lab.settle()
        update.cancel()
        cacher.gate.answer(())
        lab.settle()
        #expect(update.value?.id == 1)
        let clear = lab.start { await store.clear() }
        lab.settle()
        clear.cancel()
        cacher.gate.answer(())
        lab.settle()
        #expect((try? clear.value?.get()) != nil)
    }

    @Test("if the mutation cannot be recorded, the cache does not change", .rule("O5"))
    func unrecorded() {
        let lab = QueryLab()
        let store = AnyStoreFlowable.from(
            cacher: Cacher<UnitHash, String>(expireSeconds: 60), fetcher: SettingsFetcher(), client: lab.client)
        let update = lab.start { try await store.update(newData: "new", enqueuing: SendSettings(text: "new")) }
        #expect(update.error as? OutboxError == .noStore(name: "SendSettings"))
        let shown = lab.start { try await store.requireData(from: .cache) }
        #expect(shown.value == nil)
    }
}
