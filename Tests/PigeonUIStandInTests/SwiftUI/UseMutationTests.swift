import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI
import TestSupport
import Testing

/// A change whose answer the test decides.
private struct Rename: Mutating {
    var name: String
    let server: RenameServer

    func run(_ context: MutationContext) async throws -> String { try await server.rename(name) }
    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(QueryDefinition<[Person]>.value("people")) { [name] in $0 = [Person(id: 1, name: name)] }
    }
}

private final class RenameServer: Sendable {
    private let waiting = Locked<[CheckedContinuation<String, any Error>]>([])
    private let lab: QueryLab
    let asked = Recorder<String>()

    init(_ lab: QueryLab) { self.lab = lab }

    func rename(_ name: String) async throws -> String {
        asked.append(name)
        return try await withCheckedThrowingContinuation { continuation in waiting.withLock { $0.append(continuation) }
        }
    }

    /// Answers the oldest request.
    @MainActor
    func answer(_ result: Result<String, any Error>) {
        lab.settle()
        let first = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        first?.resume(with: result)
        lab.settle()
    }
}

@MainActor
@Suite("a property that changes data", .rule("B20"))
struct UseMutationTests {
    let stage = Stage()
    private let server: RenameServer

    init() {
        server = RenameServer(stage.lab)
    }

    private struct RenameView: View {
        @UseMutation(Rename.self) var rename: QueryState<String>
        @UseQuery(.value("people")) var people: Snapshot<[Person]>
        let server: RenameServer

        var body: some View {
            Text("\(rename)")
            Text(people.value?.first?.name ?? "nobody")
            Button("Ann") { $rename.execute(with: Rename(name: "Ann", server: server)) }
            Button("Bob") { $rename.execute(with: Rename(name: "Bob", server: server)) }
            Button("Stop") { $rename.cancel() }
            Button("Reset") { $rename.reset() }
            if $rename.isPaused { Text("waits") }
        }
    }

    private func shown(_ screen: Screen) -> String {
        screen.text.split(separator: "\n").prefix(2).joined(separator: " ")
    }

    private func wait(_ screen: Screen, _ text: String) async -> Bool {
        await screen.wait { _ in
            stage.lab.settle()
            return shown(screen) == text
        }
    }

    @Test(.rule("B20")) func `it is idle, runs, and shows the outcome, with the change at once`() async throws {
        let server = server
        try stage.lab.client.set([bob], for: .value("people"))
        let screen = stage.screen { RenameView(server: server) }
        #expect(shown(screen) == "idle Bob")
        screen.tap("Ann")
        #expect(shown(screen) == "loading Ann", "in the next frame")
        server.answer(.success("Ann"))
        #expect(await wait(screen, "succeed(Ann) Ann"))
        screen.tap("Bob")
        server.answer(.failure(Refused()))
        #expect(await wait(screen, "failed(Refused) Ann"))
        screen.tap("Reset")
        #expect(shown(screen) == "idle Ann")
        #expect(server.asked.all == ["Ann", "Bob"] && screen.untimelyChanges == 0)
    }

    @Test(.rule("B20")) func `the state lasts while the view is built again, and is that of the newest execution`()
        async
    {
        let server = server
        let screen = stage.screen { RenameView(server: server) }
        screen.tap("Ann")
        stage.lab.settle()
        screen.tap("Bob")
        stage.lab.settle()
        screen.rebuild()
        #expect(shown(screen) == "loading nobody")
        server.answer(.success("Ann"))
        screen.update()
        #expect(shown(screen) == "loading nobody")
        server.answer(.success("Bob"))
        #expect(await wait(screen, "succeed(Bob) nobody"))
        screen.rebuild()
        #expect(shown(screen) == "succeed(Bob) nobody")
    }

    @Test(.rule("B20")) func `cancelling rolls the change back, and the state says that it waits for the network`()
        async throws
    {
        let server = server
        try stage.lab.client.set([bob], for: .value("people"))
        stage.lab.setOnline(false)
        let screen = stage.screen { RenameView(server: server) }
        screen.tap("Ann")
        let waits = await screen.wait { text in
            stage.lab.settle()
            return text.hasSuffix("waits")
        }
        #expect(waits && shown(screen) == "loading Ann")
        screen.tap("Stop")
        #expect(await wait(screen, "idle Bob"))
        stage.lab.setOnline(true)
        stage.lab.settle()
        #expect(server.asked.all.isEmpty)
    }

    @Test(.rule("B20")) func `a change goes on when its view is gone`() async throws {
        let server = server
        try stage.lab.client.set([bob], for: .value("people"))
        let screen = stage.screen { RenameView(server: server) }
        screen.tap("Ann")
        stage.lab.settle()
        screen.close()
        server.answer(.success("Ann"))
        #expect(stage.lab.log.last?.contains("succeeded") == true)
        #expect(stage.lab.client.value(of: QueryDefinition<[Person]>.value("people"))?.first?.name == "Ann")
    }

    private struct NameView: View {
        @UseMutation<Void, String> var rename: QueryState<String>
        let done: Recorder<String>

        init(_ name: String, _ done: Recorder<String>, animation: Animation? = nil) {
            _rename = UseMutation(animation: animation) { "renamed to \(name)" }
            self.done = done
        }

        var body: some View {
            Text(rename.value ?? "")
            Button("Rename") { $rename.execute(with: ()) { text, _ in done.append(text) } }
            RenameButton(rename: $rename)
        }
    }

    private struct RenameButton: View {
        @UseMutation<Void, String> var rename: QueryState<String>

        init(rename: UseMutation<Void, String>) { _rename = rename }

        var body: some View {
            Button("In Child") { Task { try await $rename(()) } }
            Text("child: \(rename.value ?? "")")
        }
    }

    @Test(.rule("B20"), arguments: [true, false])
    func `each execution uses the closure that the view passed last, within its animation`(isAnimated: Bool) async {
        let (stage, name, done) = (stage, Choice("Ann"), Recorder<String>())
        let screen = stage.screen { NameView(name.value, done, animation: isAnimated ? .default : nil) }
        screen.tap("Rename")
        #expect(
            await screen.wait { _ in
                stage.lab.settle()
                return screen.text.hasPrefix("renamed to Ann")
            })
        name.value = "Bob"
        screen.rebuild()
        screen.tap("Rename")
        #expect(
            await screen.wait { _ in
                stage.lab.settle()
                return screen.text.hasPrefix("renamed to Bob")
            })
        #expect(done.all == ["renamed to Ann", "renamed to Bob"])
        #expect((screen.animatedChanges > 0) == isAnimated)
    }

    @Test(.rule("B20")) func `a view to which the property is passed on shares the mutation`() async {
        let stage = stage
        let screen = stage.screen { NameView("Ann", Recorder()) }
        screen.tap("In Child")
        #expect(
            await screen.wait { text in
                stage.lab.settle()
                return text == "renamed to Ann\n[Rename]\n[In Child]\nchild: renamed to Ann"
            })
    }

    private struct ClosureView: View {
        @UseMutation<Int, Int> var double: QueryState<Int>

        init(_ calls: Recorder<Int>) {
            _double = UseMutation(
                name: "double", scope: "numbers",
                fetcher: { number in
                    calls.append(number)
                    return number * 2
                })
        }

        var body: some View {
            StateView(double) { Text("\($0)") }
            Button("Two") { $double.execute(with: 2) { _, invalidate in invalidate("people", .lastData) } }
        }
    }

    @Test(.rule("B20")) func `a change without a type has a name, and makes stale what its caller says`() async {
        let (stage, calls) = (stage, Recorder<Int>())
        let observer = stage.lab.client.observe(stage.people.staleAfter(.never))
        stage.fetcher.succeed(with: [ann])
        let screen = stage.screen { ClosureView(calls) }
        screen.tap("Two")
        #expect(
            await screen.wait { text in
                stage.lab.settle()
                return text == "4\n[Two]"
            })
        #expect(calls.all == [2] && stage.lab.log.contains("mutation double succeeded"))
        #expect(observer.snapshot.isInvalidated || observer.snapshot.isFetching)
    }
}
