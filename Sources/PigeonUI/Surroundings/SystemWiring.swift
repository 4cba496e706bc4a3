#if canImport(SwiftUI)
    internal import PigeonCore
    internal import SwiftUI

    /// Feeds a client's environment from the system while a view is there.
    struct SystemWiring: ViewModifier {
        let client: QueryClient

        @Environment(\.scenePhase) private var scenePhase
        @StateObject private var scene = SceneActivity()

        func body(content: Content) -> some View {
            content
                // A scene begins in the background, and a view outside of a scene stays there: no more is known by then.
                .onAppear { scene.follow(client.environment, isInForeground: scenePhase == .background ? nil : true) }
                #if os(visionOS)
                    .onChange(of: scenePhase) { _, phase in phaseChanged(to: phase) }
                #else
                    .onChange(of: scenePhase, perform: phaseChanged)
                #endif
                .onDisappear { scene.leave() }
        }

        private func phaseChanged(to phase: ScenePhase) {
            scene.follow(client.environment, isInForeground: phase != .background)
        }
    }

    /// One scene's part in what a client knows of the system.
    @MainActor
    private final class SceneActivity: nonisolated ObservableObject {
        nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

        private var environment: QueryEnvironment?
        private var wiring: [QuerySubscription] = []

        nonisolated init() {}

        /// - Parameter isInForeground: `nil` while that is not known.
        func follow(_ new: QueryEnvironment, isInForeground: Bool?) {
            if environment?.activity !== new.activity {
                leave()
                environment = new
                wiring = [new.followsNetwork()]
                #if canImport(UIKit) && !os(watchOS)
                    wiring.append(new.followsMemory())
                #endif
            }
            if let isInForeground { Foreground.of(new.activity).set(isInForeground, by: ObjectIdentifier(self)) }
        }

        func leave() {
            if let environment { Foreground.of(environment.activity).remove(ObjectIdentifier(self)) }
            (environment, wiring) = (nil, [])
        }
    }
#endif
