import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI
import TestSupport
import Testing

private struct Rename: DurableMutation {
    var name: String

    func run(_ context: MutationContext) async throws -> String {
        if name == "refused" { throw Refused() }
        return name
    }
    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(QueryDefinition<[Person]>.value("people")) { [name] in $0 = [Person(id: 1, name: name)] }
    }
}

@MainActor
@Suite("views of the outbox", .rule("B24"))
struct UseOutboxTests {
    private let lab = QueryLab(outbox: Outbox.Setup(store: InMemoryMutationStore(), mutations: [Rename.self]))

    private struct NotesScreen: View {
        @UseOutbox(animation: .default) var outbox: OutboxSnapshot
        @UseMutation(durably: Rename.self) var rename: QueryState<String>
        @UseQuery(.value("people")) var people: Snapshot<[Person]>

        var body: some View {
            Text("\(outbox.waiting.count) \(outbox.setAside.count) \(people.value?.first?.name ?? "nobody") \(rename)")
            OutboxLabel()
            Button("Ann") { $rename.execute(with: Rename(name: "Ann")) }
            Button("Refused") { $rename.execute(with: Rename(name: "refused")) }
            Button("Discard") { for item in outbox.setAside { $outbox.discard(item.id) } }
            Button("Retry") { for item in outbox.setAside { $outbox.retry(item.id) } }
        }
    }

    private struct CountScreen: View {
        let settle: @MainActor () -> Void
        @UseOutbox() var outbox: OutboxSnapshot

        init(settle: @escaping @MainActor () -> Void) { self.settle = settle }

        var body: some View {
            Text("\(outbox.waiting.count)")
            Button("Read") {
                settle()
                _ = outbox.waiting.count
            }
        }
    }

    private func wait(_ screen: Screen, _ lines: String...) async -> Bool {
        await screen.wait { text in
            lab.settle()
            return text.split(separator: "\n").prefix(lines.count).map(String.init) == lines
        }
    }

    private func wait(_ screen: Screen, forPrefix prefix: String) async -> Bool {
        await screen.wait { text in
            lab.settle()
            return text.hasPrefix(prefix)
        }
    }

    @Test(.rule("B24")) func `what waits and what could not be made is counted, and a change shows in the next frame`()
        async throws
    {
        let (lab, client) = (lab, lab.client)
        try client.set([bob], for: .value("people"))
        let screen = Screen { NotesScreen().environment(\.queryClient, client) }
        #expect(await wait(screen, "0 0 Bob idle", "[Ann]"))
        lab.setOnline(false)
        screen.tap("Ann")
        #expect(await wait(screen, "1 0 Ann loading", "1 change is waiting"))
        screen.tap("Refused")
        #expect(await wait(screen, "2 0 refused loading", "2 changes are waiting"))
        lab.setOnline(true)
        #expect(await wait(screen, "0 1 Ann failed(Refused)", "1 change could not be made"))
        screen.tap("Discard")
        #expect(await wait(screen, "0 0 Ann failed(Refused)", "[Ann]"))
        #expect(screen.untimelyChanges == 0)
        #expect(screen.animatedChanges > 0)
    }

    @Test(.rule("B24")) func `a change that was set aside waits again when the user retries it`() async {
        let (lab, client) = (lab, lab.client)
        let screen = Screen { NotesScreen().environment(\.queryClient, client) }
        screen.tap("Refused")
        #expect(await wait(screen, forPrefix: "0 1 "))
        lab.setOnline(false)
        screen.tap("Retry")
        #expect(await wait(screen, forPrefix: "1 0 "))
    }

    @Test(.rule("B24")) func `what an action has read is shown all the same`() async {
        let (lab, client) = (lab, lab.client)
        lab.setOnline(false)
        let screen = Screen {
            CountScreen { lab.settle() }.environment(\.queryClient, client)
        }
        #expect(await wait(screen, "0"))
        let task = lab.start { _ = try await client.enqueue(Rename(name: "Ann")) }
        screen.tap("Read")
        #expect(await wait(screen, "1"))
        withExtendedLifetime(task) {}
    }
}
