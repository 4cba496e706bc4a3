#if canImport(SwiftUI)
    public import PigeonCore
    public import SwiftUI

    extension EnvironmentValues {
        /// The client that views fetch with. By default ``/PigeonCore/QueryClient/shared``.
        public var queryClient: QueryClient {
            get { self[QueryClientKey.self] }
            set { self[QueryClientKey.self] = newValue }
        }
    }

    private struct QueryClientKey: EnvironmentKey {
        static var defaultValue: QueryClient { .shared }
    }

    extension View {
        /// Sets the client that this view and those inside it fetch with, and tells it of the system: whether there is a
        /// network, and whether the program is in the foreground.
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
        /// For previews and tests, `environment(\.queryClient, client)` sets it and nothing else.
        public func queryClient(_ client: QueryClient) -> some View {
            environment(\.queryClient, client).onActive(client)
        }

        /// Tells a client of the system for as long as the view is there: whether there is a network, and whether any scene
        /// of the program is in the foreground, so that it refetches what is stale when the user comes back, and waits while
        /// there is no network.
        public func onActive(_ client: QueryClient) -> some View {
            modifier(SystemWiring(client: client))
        }
    }
#endif
