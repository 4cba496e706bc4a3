#if canImport(SwiftUI)
    public import PigeonCore
    public import SwiftUI

    extension EnvironmentValues {
        /// The client with which views fetch. The default is ``/PigeonCore/QueryClient/shared``.
        public var queryClient: QueryClient {
            get { self[QueryClientKey.self] }
            set { self[QueryClientKey.self] = newValue }
        }
    }

    private struct QueryClientKey: EnvironmentKey {
        static var defaultValue: QueryClient { .shared }
    }

    extension View {
        /// Sets the client with which this view and the views inside it fetch. Also connects the client to the system's
        /// state of the network and the foreground.
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
            environment(\.queryClient, client).onActive(client)
        }

        /// Connects a client to the system's state of the network and the foreground, for as long as the view exists.
        /// The client then refetches stale data when the user returns, and pauses fetches while there is no network.
        public func onActive(_ client: QueryClient) -> some View {
            modifier(SystemWiring(client: client))
        }
    }
#endif
