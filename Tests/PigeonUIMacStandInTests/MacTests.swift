import Foundation
import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI
import TestSupport
import Testing

@MainActor
@Suite("what a client is told on a Mac", .rule("X6"), .serialized)
struct MacTests {
    let lab = QueryLab()
    // By name, because a test that imports AppKit needs another module of the testing library.
    let leaving = Notification.Name("NSApplicationDidResignActiveNotification")
    let returning = Notification.Name("NSApplicationDidBecomeActiveNotification")

    private func post(_ name: Notification.Name) {
        NotificationCenter.default.post(name: name, object: nil)
    }

    @Test("a view refetches what is stale when the user switches back to the program", .rule("X6"))
    func view() async {
        let (lab, client) = (lab, lab.client)
        let fetcher = lab.fetcher(returning: String.self)
        let definition = QueryDefinition<String>("name", fetch: fetcher.fetch)
        let screen = Screen { QueryView(definition) { Text($0) }.queryClient(client) }
        fetcher.succeed(with: "Ann")
        #expect(await screen.wait { $0 == "Ann" })
        post(leaving)
        lab.advance(by: .seconds(60))
        post(returning)
        lab.settle()
        #expect(fetcher.calls.count == 2)
        #expect(lab.log.last?.contains("foreground") == true)
        screen.close()
        post(leaving)
        #expect(client.environment.activity.isOn)
    }

    @Test("a scene that is inactive or closed does not decide for the program", .rule("X6"))
    func scene() {
        let activity = lab.client.environment.activity
        let screen = Screen { Text("One").queryClient(lab.client) }
        screen.setScenePhase(.background)
        #expect(activity.isOn)
        post(leaving)
        screen.setScenePhase(.active)
        #expect(!activity.isOn)
        post(returning)
        #expect(activity.isOn)
    }
}
