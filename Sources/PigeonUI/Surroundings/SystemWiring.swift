#if canImport(SwiftUI)
    internal import PigeonCore
    internal import SwiftUI

    /// Sets the signals of a client's environment from the system while a view exists.
    struct SystemWiring: ViewModifier {
        let client: QueryClient

        @Environment(\.scenePhase) private var scenePhase
        @StateObject private var scene = SceneActivity()

        func body(content: Content) -> some View {
            content
                .onAppear { begin(with: client) }
                .whenChanged(ObjectIdentifier(client)) { [client] _ in begin(with: client) }
                .whenChanged(scenePhase) { phase in
                    scene.follow(client.environment, isInForeground: phase != .background)
                }
                .onDisappear { scene.leave() }
        }

        /// A scene starts in the background, and a view outside a scene stays there, so the background phase means
        /// "unknown" here.
        private func begin(with client: QueryClient) {
            scene.follow(client.environment, isInForeground: scenePhase == .background ? nil : true)
        }
    }

    extension View {
        fileprivate func whenChanged<Value: Equatable>(
            _ value: Value, perform action: @escaping (Value) -> Void
        ) -> some View {
            #if os(visionOS)
                onChange(of: value) { _, new in action(new) }
            #else
                onChange(of: value, perform: action)
            #endif
        }
    }

    /// The contribution of one scene to a client's foreground signal.
    @MainActor
    private final class SceneActivity: nonisolated ObservableObject {
        nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

        private var environment: QueryEnvironment?
        private var wiring: [QuerySubscription] = []

        nonisolated init() {}

        /// - Parameter isInForeground: `nil` while it is unknown.
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
