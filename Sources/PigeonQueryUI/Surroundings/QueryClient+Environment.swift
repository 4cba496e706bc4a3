#if canImport(SwiftUI)
    internal import Foundation
    internal import PigeonBase
    public import PigeonCore
    public import SwiftUI

    extension EnvironmentValues {
        /// The client with which views fetch. The default is ``/PigeonCore/QueryClient/shared``.
        ///
        /// A view without a client above it works with the shared client, which is not connected to the system's state of the
        /// network and the foreground. The first such view that fetches or changes data with a property wrapper is reported as
        /// misuse, to the shared client's events and, in debug builds, to the standard error stream.
        public var queryClient: QueryClient {
            get { self[QueryClientKey.self] ?? .shared }
            set { self[QueryClientKey.self] = newValue }
        }

        /// The same client, for the property wrappers of this module. Reports a view that has none.
        ///
        /// `queryClient` cannot do that: `environment(\.queryClient, client)` writes through a key path, which reads the old
        /// value first.
        var workingClient: QueryClient { self[QueryClientKey.self] ?? MissingClient.substitute }
    }

    private struct QueryClientKey: EnvironmentKey {
        static var defaultValue: QueryClient? { nil }
    }

    /// Reports, once, that a view has no client.
    enum MissingClient {
        /// The shared client to which it was reported.
        private static let reported = Locked<ObjectIdentifier?>(nil)

        static var substitute: QueryClient {
            let client = QueryClient.shared
            let isFirst = reported.withLock { reported in
                defer { reported = ObjectIdentifier(client) }
                return reported != ObjectIdentifier(client)
            }
            if isFirst { report(to: client) }
            return client
        }

        private static func report(to client: QueryClient) {
            let text = "a view fetches with the shared client, because no view above it has .queryClient(client)"
            client.reportMisuse(text, key: .ofNothing)
            #if DEBUG
                FileHandle.standardError.write(Data("Pigeon: \(text)\n".utf8))
            #endif
        }
    }

    extension View {
        /// Sets the client with which this view and the views inside it fetch. Also connects the client to the system's
        /// state of the network and the foreground, for as long as the view exists. The client then refetches stale data
        /// when the user returns, and pauses fetches while there is no network. On a Mac, the user returns when the program
        /// becomes the active one.
        ///
        /// ```swift
        /// struct CardsApp: App {
        ///     let client = QueryClient()
        ///     var body: some Scene {
        ///         WindowGroup { CardsList().queryClient(client) }
        ///     }
        /// }
        /// ```
        ///
        /// In previews and tests, `environment(\.queryClient, client)` only sets the client.
        public func queryClient(_ client: QueryClient) -> some View {
            environment(\.queryClient, client).modifier(SystemWiring(client: client))
        }
    }

    /// Sets the signals of a client's environment from the system while a view exists.
    struct SystemWiring: ViewModifier {
        let client: QueryClient

        @Environment(\.scenePhase) private var scenePhase
        @State private var scene = SceneActivity()

        func body(content: Content) -> some View {
            content
                .onAppear { scene.follow(client.environment, in: scenePhase) }
                .whenChanged(PhasedClient(client: client, phase: scenePhase)) { new in
                    scene.follow(new.client.environment, in: new.phase)
                }
                .onDisappear { scene.leave() }
        }
    }

    /// A client, which is compared by identity, and the phase of its scene.
    private struct PhasedClient: Equatable {
        let client: QueryClient
        let phase: ScenePhase

        static func == (one: PhasedClient, other: PhasedClient) -> Bool {
            one.client === other.client && one.phase == other.phase
        }
    }

    extension View {
        /// Calls a function with a new value. The function may be that of the body before the change, so it must not
        /// use what a body captures.
        func whenChanged<Value: Equatable>(
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
    private final class SceneActivity {
        /// True if the scene has been in the foreground. A scene starts in the background, and a view outside a scene
        /// stays there, so until then, the background phase means "unknown". A launch in the background therefore counts as
        /// foreground until the scene has been shown once (A12).
        private var hasBeenInForeground = false
        private var environment: QueryEnvironment?
        private var wiring: [QuerySubscription] = []

        nonisolated init() {}

        func follow(_ new: QueryEnvironment, in phase: ScenePhase) {
            if environment?.activity !== new.activity {
                leave()
                environment = new
                wiring = [new.followsNetwork()]
                #if !canImport(UIKit)
                    wiring.append(new.followsApplication())
                #elseif !os(watchOS)
                    wiring.append(new.followsMemory())
                #endif
            }
            // On a Mac, a scene stays where it is when the user switches to another program, so the application decides.
            #if canImport(UIKit)
                let isInForeground = phase != .background
                if isInForeground { hasBeenInForeground = true }
                guard hasBeenInForeground else { return }
                Foreground.of(new.activity).set(isInForeground, by: ObjectIdentifier(self))
            #endif
        }

        func leave() {
            if let environment { Foreground.of(environment.activity).remove(ObjectIdentifier(self)) }
            (environment, wiring) = (nil, [])
        }
    }

    /// Sets a signal that is on while any scene of the program is in the foreground.
    @MainActor
    final class Foreground {
        private static var all: [ObjectIdentifier: Foreground] = [:]

        private let signal: EnvironmentSignal
        private var scenes: [ObjectIdentifier: Bool] = [:]

        /// Returns the object that sets a signal. It is retained while it has scenes.
        static func of(_ signal: EnvironmentSignal) -> Foreground {
            let foreground = all[ObjectIdentifier(signal)] ?? Foreground(signal)
            all[ObjectIdentifier(signal)] = foreground
            return foreground
        }

        private init(_ signal: EnvironmentSignal) {
            self.signal = signal
        }

        func set(_ isInForeground: Bool, by scene: ObjectIdentifier) {
            scenes[scene] = isInForeground
            signal.set(scenes.values.contains(true))
        }

        /// Removes a scene, and sets the signal for the remaining ones. After the last scene, the signal keeps its
        /// value.
        func remove(_ scene: ObjectIdentifier) {
            scenes[scene] = nil
            if scenes.isEmpty {
                Self.all[ObjectIdentifier(signal)] = nil
            } else {
                signal.set(scenes.values.contains(true))
            }
        }
    }
#endif
