import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI
import TestSupport
import Testing

@MainActor
@Suite("a property that shows what the client does", .rule("B22"))
struct UseActivityTests {
    let stage = Stage()

    private struct Indicator: View {
        @UseActivity var all: ClientActivity
        @UseActivity("people", animation: .default) var people: ClientActivity

        var body: some View { Text("\(all.fetchCount) \(people.fetchCount) \(all.mutationCount)") }
    }

    @Test(.rule("B22")) func `it shows the fetches of the client, and of a filter, as they begin and end`() async {
        let stage = stage
        let screen = stage.screen { Indicator() }
        #expect(screen.text == "0 0 0")
        let observers = [stage.lab.client.observe(stage.people), stage.lab.client.observe(stage.people("other"))]
        #expect(await screen.wait { $0 == "2 1 0" })
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "1 0 0" })
        stage.fetcher.fail(with: Refused())
        #expect(await screen.wait { $0 == "0 0 0" })
        #expect(screen.animatedChanges > 0)
        withExtendedLifetime(observers) {}
    }

    private struct Starter: View {
        let start: @MainActor () -> Void
        @UseActivity var activity: ClientActivity

        init(start: @escaping @MainActor () -> Void) { self.start = start }

        var body: some View {
            Text("\(activity.fetchCount)")
            Button("Fetch") {
                start()
                _ = activity.isFetching
            }
        }
    }

    @Test(.rule("B22", "B24")) func `an update that is not on the main actor notes nothing, and ends no program`() async
    {
        let (activity, outbox) = (UseActivity(), UseOutbox())
        await Task.detached {
            activity.update()
            outbox.update()
        }.value
    }

    @Test(.rule("B22")) func `what an action has read is shown all the same`() async {
        let stage = stage
        let observers = Choice<[QueryObserver<[Person]>]>([])
        let screen = stage.screen {
            Starter { observers.value.append(stage.lab.client.observe(stage.people)) }
        }
        #expect(screen.text == "0\n[Fetch]")
        screen.tap("Fetch")
        #expect(await screen.wait { $0 == "1\n[Fetch]" })
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "0\n[Fetch]" })
    }

    @Test(.rule("B22")) func `it shows mutations that run`() async {
        let stage = stage
        let screen = stage.screen { Indicator() }
        #expect(screen.text == "0 0 0")
        stage.lab.setOnline(false)
        let task = stage.lab.start { [client = stage.lab.client] in try await client.mutate { _ in 1 } }
        #expect(await screen.wait { $0 == "0 0 1" })
        stage.lab.setOnline(true)
        stage.lab.settle()
        #expect(task.value == 1)
        #expect(await screen.wait { $0 == "0 0 0" })
    }

    @Test(.rule("B22"))
    func `what other views fetch as they appear is shown after the update, and writes are not shown`()
        async throws
    {
        let stage = stage
        let screen = stage.screen {
            Indicator()
            QueryView(stage.people, content: names)
        }
        #expect(screen.text == "0 0 0\n(progress)")
        #expect(await screen.wait { $0 == "1 1 0\n(progress)" })
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "0 0 0\nList\n  Ann" })
        #expect(screen.untimelyChanges == 0)
        let before = screen.renders(of: Indicator.self)
        try stage.lab.client.set([bob], for: stage.people)
        #expect(await screen.wait { $0 == "0 0 0\nList\n  Bob" })
        #expect(screen.renders(of: Indicator.self) == before)
    }

    @Test(.rule("B22")) func `the client is no longer watched when the view is gone, and another client in its place`()
        async
    {
        let (stage, other) = (stage, Stage())
        let client = Choice(stage.lab.client)
        let screen = Screen { Indicator().environment(\.queryClient, client.value) }
        let observers = [stage.lab.client.observe(stage.people), other.lab.client.observe(other.people("other"))]
        #expect(await screen.wait { $0 == "1 1 0" })
        client.value = other.lab.client
        screen.rebuild()
        #expect(screen.text == "1 0 0")
        other.fetcher.succeed(with: [])
        #expect(await screen.wait { $0 == "0 0 0" })
        screen.close()
        withExtendedLifetime(observers) {}
    }
}
