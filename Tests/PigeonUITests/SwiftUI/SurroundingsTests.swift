import Network
import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI
import Testing

@MainActor
@Suite("What a client is told of the system", .serialized)
struct SurroundingsTests {
    let stage = Stage()

    @Test func `a client is in the foreground while one of its scenes is`() {
        let client = stage.lab.client
        let activity = client.environment.activity
        let one = Screen { Text("One").queryClient(client) }
        let two = Screen { Text("Two").onActive(client) }
        one.setScenePhase(.background)
        #expect(activity.isOn)
        two.setScenePhase(.background)
        #expect(!activity.isOn)
        one.setScenePhase(.inactive)
        #expect(activity.isOn)
        one.close()
        #expect(!activity.isOn, "the one that is left is in the background")
        two.setScenePhase(.active)
        #expect(activity.isOn)
    }

    @Test func `coming back refetches what is stale`() async {
        let stage = stage
        let client = stage.lab.client
        let screen = Screen { QueryView(stage.people, content: names).queryClient(client) }
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "List\n  Ann" })
        screen.setScenePhase(.background)
        stage.lab.advance(by: .seconds(60))
        screen.setScenePhase(.active)
        stage.lab.settle()
        #expect(stage.fetcher.calls.count == 2)
        #expect(stage.lab.log.last?.contains("foreground") == true)
    }
}
