import PigeonCore
import PigeonQueryUI
import PigeonTesting
import SwiftUI
import TestSupport
import Testing
import ViewSupport

@MainActor
@Suite("a view that fetches, in a window")
struct UseQueryTests {
    let stage = Stage()

    struct PeopleView: View {
        @UseQuery var people: Snapshot<[Person]>

        init(_ definition: QueryDefinition<[Person]>) {
            _people = UseQuery(definition)
        }

        var body: some View {
            StateView(people, retry: $people.retry) { people in
                VStack { ForEach(people) { Probe($0.name) } }
            } loading: {
                Probe("loading")
            } failure: { error, retry in
                Probe(error.localizedDescription)
                Probe("retry", action: retry)
            }
            Probe("add") { $people.update { $0.append(bob) } }
        }
    }

    @Test func `it shows the load, then the value, then each change`() async throws {
        let stage = stage
        let host = stage.host { PeopleView(stage.people()) }
        #expect(await stage.shows(["loading"], in: host))
        #expect(stage.fetcher.calls.count == 1)
        stage.fetcher.succeed(with: [ann])
        #expect(await stage.shows(["Ann"], in: host))
        #expect(host.tap("add"))
        #expect(await stage.shows(["Ann", "Bob"], in: host))
        try stage.lab.client.set([bob], for: stage.people())
        #expect(await stage.shows(["Bob"], in: host))
        host.rebuild()
        #expect(await stage.shows(["Bob"], in: host))
        #expect(stage.fetcher.calls.count == 1)
        host.close()
    }

    @Test func `it shows a failure, and retries`() async {
        let stage = stage
        let host = stage.host { PeopleView(stage.people()) }
        #expect(await stage.shows(["loading"], in: host))
        stage.fetcher.fail(with: Refused())
        #expect(await stage.shows(["The server refused."], in: host))
        #expect(host.tap("retry"))
        #expect(await stage.shows(["loading"], in: host))
        stage.fetcher.succeed(with: [ann])
        #expect(await stage.shows(["Ann"], in: host))
        host.close()
    }

    @Test func `another key is followed in place of the one before, at once and without its value`() async {
        let stage = stage
        let key = Choice<QueryKey>("one")
        let host = stage.host { PeopleView(stage.people(key.value)) }
        #expect(await stage.shows(["loading"], in: host))
        stage.fetcher.succeed(with: [ann])
        #expect(await stage.shows(["Ann"], in: host))
        key.value = "two"
        host.rebuild()
        #expect(host.shown == ["loading"])
        await until { stage.observers(of: "one") == 0 && stage.observers(of: "two") == 1 }
        stage.fetcher.succeed(with: [bob])
        #expect(await stage.shows(["Bob"], in: host))
        key.value = "one"
        host.rebuild()
        #expect(host.shown == ["Ann"])
        await until { stage.observers(of: "two") == 0 }
        #expect(stage.fetcher.calls.map(\.key) == ["one", "two", "one"], "what came back is stale, and fetched again")
        host.close()
    }

    @Test(arguments: [true, false]) func `nobody observes for a view that is gone`(isClosed: Bool) async {
        let stage = stage
        let isOpen = Choice(true)
        let host = stage.host {
            if isOpen.value { PeopleView(stage.people()) } else { Probe("gone") }
        }
        #expect(await stage.shows(["loading"], in: host))
        stage.fetcher.succeed(with: [ann])
        #expect(await stage.shows(["Ann"], in: host))
        #expect(stage.observers(of: "people") == 1)
        if isClosed {
            host.close()
        } else {
            isOpen.value = false
            host.rebuild()
            #expect(await stage.shows(["gone"], in: host))
        }
        await until { stage.observers(of: "people") == 0 }
        host.close()
    }

    /// Shows a query that it makes itself.
    struct QueryOwner: View {
        @StateObject private var query: Query<Void, [Person]>

        init(_ definition: QueryDefinition<[Person]>, _ client: QueryClient) {
            _query = StateObject(wrappedValue: Query(definition, client: client))
        }

        var body: some View { QueryView(query) { Probe("\($0.count)") } }
    }

    /// Changes an object while its body is evaluated, which SwiftUI does not allow.
    struct Careless: View {
        final class Model: ObservableObject {
            @Published var count = 0

            func becomeOne() {
                if count == 0 { count = 1 }
            }
        }

        @StateObject private var model = Model()

        var body: some View {
            let _ = model.becomeOne()
            Probe("\(model.count)")
        }
    }

    @Test(.rule("X3")) func `what a view changes for others as it appears, they are told after the update`() async {
        let (stage, client) = (stage, stage.lab.client)
        let isOpen = Choice(false)
        let host = stage.host {
            PeopleView(stage.people())
            QueryOwner(stage.people(), client)
            if isOpen.value {
                PeopleView(stage.people().refetchOnAttach(.always))
                QueryOwner(stage.people().refetchOnAttach(.always), client)
            }
        }
        #expect(await host.wait { $0 == ["loading"] })
        stage.fetcher.succeed(with: [ann])
        #expect(await stage.shows(["Ann", "1"], in: host))
        isOpen.value = true
        host.rebuild()
        await until {
            stage.lab.settle()
            return stage.fetcher.calls.count == 2
        }
        stage.fetcher.succeed(with: [ann, bob])
        #expect(await stage.shows(["Ann", "Bob", "2", "Ann", "Bob", "2"], in: host))
        host.close()

        // Proves that such changes are seen at all.
        let careless = ViewHost { Careless() }
        #expect(await careless.wait { $0 == ["1"] })
        // An entry of the log may come late, and to read it takes long.
        for _ in 1...5 where careless.untimelyChanges == 0 { try? await Task.sleep(for: .milliseconds(300)) }
        withKnownIssue("the warnings of SwiftUI cannot be read here", isIntermittent: true) {
            #expect(careless.untimelyChanges > 0)
        } when: {
            !ViewHost.seesUntimelyChanges
        }
        #expect(host.untimelyChanges == 0)
        careless.close()
    }

    struct Indicator: View {
        @UseActivity var activity: ClientActivity

        var body: some View { Probe("\(activity.fetchCount)") }
    }

    @Test(.rule("B22")) func `a property shows what the client fetches`() async {
        let stage = stage
        let host = stage.host { Indicator() }
        #expect(await stage.shows(["0"], in: host))
        let observer = stage.lab.client.observe(stage.people())
        #expect(await stage.shows(["1"], in: host))
        stage.fetcher.succeed(with: [ann])
        #expect(await stage.shows(["0"], in: host))
        withExtendedLifetime(observer) {}
        host.close()
    }

    #if canImport(UIKit)
        // On a Mac, the application decides, and not the scene.
        @Test("a view outside of a scene leaves its client in the foreground", .rule("X6"))
        func foreground() async {
            let client = stage.lab.client
            let host = ViewHost { Probe("hosted").queryClient(client) }
            #expect(await stage.shows(["hosted"], in: host))
            #expect(client.environment.activity.isOn)
            host.close()
            #expect(client.environment.activity.isOn)
        }
    #endif
}
