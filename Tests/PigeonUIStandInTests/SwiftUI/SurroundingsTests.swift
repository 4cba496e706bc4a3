import Foundation
import Network
import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI
import TestSupport
import Testing
import UIKit

@MainActor
@Suite("What a client is told of the system", .serialized)
struct SurroundingsTests {
    let stage = Stage()

    @Test func `a client is in the foreground while one of its scenes is`() {
        let client = stage.lab.client
        let activity = client.environment.activity
        let one = Screen { Text("One").queryClient(client) }
        let two = Screen { Text("Two").queryClient(client) }
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

    @Test func `a scene that begins in the background says nothing until that changes`() {
        let client = stage.lab.client
        let activity = client.environment.activity
        let screen = Screen {
            Text("Hosted").queryClient(client).environment(\.scenePhase, .background)
        }
        #expect(activity.isOn)
        screen.close()
        #expect(activity.isOn)
    }

    @Test func `another client is told from then on, and the one before no more`() {
        let (one, two) = (stage.lab.client, Stage().lab.client)
        let choice = Choice(one)
        let screen = Screen { Text("One").queryClient(choice.value) }
        choice.value = two
        screen.rebuild()
        screen.setScenePhase(.background)
        #expect(one.environment.activity.isOn && !two.environment.activity.isOn)
    }

    @Test func `short memory drops what another client has, and not what the one before has`() async throws {
        let other = Stage()
        let (one, two) = (stage.lab.client, other.lab.client)
        let choice = Choice(one)
        let screen = Screen { Text("One").queryClient(choice.value) }
        choice.value = two
        screen.rebuild()
        try one.set([ann], for: stage.people)
        try two.set([ann], for: other.people)
        NotificationCenter.default.post(name: UIApplication.didReceiveMemoryWarningNotification, object: nil)
        #expect(await screen.wait { _ in two.entries().isEmpty })
        #expect(!one.entries().isEmpty)
    }

    @Test func `a phase that changes together with the client is that of the new client`() {
        let (one, two) = (stage.lab.client, Stage().lab.client)
        let choice = Choice((client: one, phase: ScenePhase.active))
        let screen = Screen {
            Text("One").queryClient(choice.value.client).environment(\.scenePhase, choice.value.phase)
        }
        choice.value = (two, .background)
        screen.rebuild()
        #expect(one.environment.activity.isOn && !two.environment.activity.isOn)
        screen.close()
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

    @Test func `the network's state is the client's`() async {
        let environment = stage.lab.environment
        let home = NWPathMonitor.Home(.unsatisfied)
        let monitor = NWPathMonitor(in: home)
        let subscription = environment.follows(monitor)
        let screen = Screen { Text("One") }
        #expect(await screen.wait { _ in !environment.connectivity.isOn })
        home.path = NWPath(.requiresConnection)
        #expect(await screen.wait { _ in environment.connectivity.isOn })
        subscription.cancel()
        #expect(monitor.isCancelled)
    }

    @Test func `short memory drops what nobody shows`() async throws {
        let client = stage.lab.client
        let screen = Screen { Text("One").queryClient(client) }
        try client.set([ann], for: stage.people)
        NotificationCenter.default.post(name: UIApplication.didReceiveMemoryWarningNotification, object: nil)
        #expect(await screen.wait { _ in client.entries().isEmpty })
        #expect(!client.environment.memoryPressure.isOn)
    }

    @Test(.rule("X6"), arguments: [UIApplication.State.active, .inactive])
    func `a program that the system launches in the background is there until the user opens it`(
        opened: UIApplication.State
    ) {
        let activity = stage.lab.client.environment.activity
        UIApplication.shared.move(to: .background)
        let system = stage.lab.client.followsSystem()
        #expect(!activity.isOn)
        UIApplication.shared.move(to: opened)
        #expect(activity.isOn)
        UIApplication.shared.move(to: .active)
        system.cancel()
    }

    @Test func `without views, a client follows the application until told otherwise`() {
        let environment = stage.lab.client.environment
        let system = stage.lab.client.followsSystem()
        let center = NotificationCenter.default
        center.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
        #expect(!environment.activity.isOn)
        center.post(name: UIApplication.willEnterForegroundNotification, object: nil)
        #expect(environment.activity.isOn)
        system.cancel()
        center.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
        #expect(environment.activity.isOn)
    }
}
