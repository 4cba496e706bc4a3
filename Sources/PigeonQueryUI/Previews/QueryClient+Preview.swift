#if canImport(SwiftUI)
    public import PigeonCore
    internal import PigeonBase

    extension QueryClient {
        /// Returns a client for previews and tests of views, which shows the given data and fetches nothing.
        ///
        /// ```swift
        /// UserView(id: 42).environment(\.queryClient, .preview { $0.show(ann, for: .user(42)) })
        /// UserView(id: 42).environment(\.queryClient, .preview { $0.fail(.user(42), with: URLError(.timedOut)) })
        /// UserView(id: 42).environment(\.queryClient, .preview())     // loading, for ever
        /// ```
        public static func preview(_ prepare: (PreviewData) -> Void = { _ in }) -> QueryClient {
            let isPreparing = Locked(true)
            var environment = QueryEnvironment()
            environment.launch = { operation in
                isPreparing.withLock { $0 } ? QueryEnvironment.launchImmediately(operation) : Task {}
            }
            var options = QueryOptions()
            options.staleAfter = .never
            options.retriesOnAttach = false
            let client = QueryClient(options: options, environment: environment)
            prepare(PreviewData(client: client))
            isPreparing.withLock { $0 = false }
            return client
        }
    }

    /// The data that a preview shows.
    public struct PreviewData: Sendable {
        let client: QueryClient

        /// Shows a value for a query.
        public func show<Value>(_ value: Value, for definition: QueryDefinition<Value>) {
            try? client.set(value, for: definition)
        }

        /// Shows an error for a query. A value that was set for it stays.
        public func fail<Value>(_ definition: QueryDefinition<Value>, with error: any Error) {
            var failing = QueryDefinition<Value>(definition.key) { _ in throw error }
            failing.overrides = definition.overrides
            let client = client
            let failure = failing.retry(.never)
            withExtendedLifetime(client.observe(failure.refetchOnAttach(.always))) {}
        }
    }
#endif
