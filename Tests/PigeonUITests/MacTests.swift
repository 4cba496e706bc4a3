// Mac Catalyst has both.
#if canImport(AppKit) && !canImport(UIKit)
    import Foundation
    import PigeonCore
    import PigeonTesting
    import PigeonUI
    import SwiftUI
    import TestSupport
    import Testing
    import ViewSupport

    @MainActor
    @Suite("what a client is told on a Mac, in a window", .rule("X6"), .serialized)
    struct MacTests {
        let lab = QueryLab()
        // By name, because with stand-ins a test that imports AppKit needs another module of the testing library.
        let leaving = Notification.Name("NSApplicationDidResignActiveNotification")
        let returning = Notification.Name("NSApplicationDidBecomeActiveNotification")

        private func post(_ name: Notification.Name) {
            NotificationCenter.default.post(name: name, object: nil)
        }

        @Test("a program without views follows the application until told otherwise", .rule("X6"))
        func withoutViews() {
            let activity = lab.client.environment.activity
            let system = lab.client.followsSystem()
            post(leaving)
            #expect(!activity.isOn)
            post(returning)
            #expect(activity.isOn)
            system.cancel()
            post(leaving)
            #expect(activity.isOn)
        }

        @Test("a view refetches what is stale when the user switches back to the program", .rule("X6"))
        func view() async {
            let (lab, client) = (lab, lab.client)
            let activity = client.environment.activity
            let fetcher = lab.fetcher(returning: String.self)
            let definition = QueryDefinition<String>("name", fetch: fetcher.fetch)
            let host = ViewHost { QueryView(definition) { Probe($0) }.queryClient(client) }
            fetcher.succeed(with: "Ann")
            #expect(await host.wait { $0 == ["Ann"] })
            // The view says that it appears some time after it is there.
            await until {
                post(leaving)
                return !activity.isOn
            }
            lab.advance(by: .seconds(60))
            post(returning)
            await until {
                lab.settle()
                return fetcher.calls.count == 2
            }
            #expect(lab.log.last?.contains("foreground") == true)
            host.close()
            await until {
                activity.set(true)
                post(leaving)
                return activity.isOn
            }
        }
    }
#endif
