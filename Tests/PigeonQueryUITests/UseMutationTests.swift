import PigeonCore
import PigeonQueryUI
import PigeonTesting
import SwiftUI
import TestSupport
import Testing
import ViewSupport

@MainActor
@Suite("a view that changes data, in a window", .rule("B20"))
struct UseMutationTests {
    let stage = Stage()

    /// A change whose answer the test decides.
    struct Rename: Mutating {
        let name: String
        let server: ScriptedFetcher<String>

        func run(_ context: MutationContext) async throws -> String { try await server.call(name) }

        func optimistic(_ edits: inout OptimisticEdits) {
            edits.update(QueryDefinition<[Person]>.value("people")) { [name] in $0 = [Person(id: 1, name: name)] }
        }
    }

    struct RenameView: View {
        @UseMutation(Rename.self) var rename: QueryState<String>
        @UseQuery(.value("people")) var people: Snapshot<[Person]>
        let server: ScriptedFetcher<String>

        var body: some View {
            Probe("\(rename)")
            Probe(people.value?.first?.name ?? "nobody")
            Probe("to Ann") { $rename.execute(with: Rename(name: "Ann", server: server)) }
            Probe("to Eve") { $rename.execute(with: Rename(name: "Eve", server: server)) }
        }
    }

    @Test(.rule("B20")) func `it is idle, runs, and shows the outcome, with the change at once`() async throws {
        let stage = stage
        let server = stage.lab.fetcher(returning: String.self)
        try stage.lab.client.set([bob], for: .value("people"))
        let host = stage.host { RenameView(server: server) }
        #expect(await stage.shows(["idle", "Bob"], in: host))
        #expect(host.tap("to Ann"))
        #expect(await stage.shows(["loading", "Ann"], in: host))
        await until {
            stage.lab.settle()
            return server.pendingCount == 1
        }
        server.succeed(with: "Ann")
        #expect(await stage.shows(["succeed(Ann)", "Ann"], in: host))
        #expect(host.tap("to Eve"))
        #expect(await stage.shows(["loading", "Eve"], in: host))
        server.fail(with: Refused())
        #expect(await stage.shows(["failed(Refused)", "Ann"], in: host))
        host.close()
    }
}
