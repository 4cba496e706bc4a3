#if Server
    public import Logging
    public import PigeonCore
    public import ServiceLifecycle

    /// Closes a client when the program shuts down, as a service of a `ServiceGroup`.
    ///
    /// ```swift
    /// let group = ServiceGroup(
    ///     services: [ClientService(client, drainingFor: .seconds(20), logger: logger), server],
    ///     gracefulShutdownSignals: [.sigterm], logger: logger)
    /// try await group.run()
    /// ```
    ///
    /// A group shuts services down in reverse, so the client is closed once the server that is listed after it has answered
    /// its last request. See `QueryClient.close(within:)`.
    public struct ClientService: Service {
        private let client: QueryClient
        private let limit: Duration
        private let logger: Logger?

        /// Creates a service.
        ///
        /// - Parameters:
        ///   - client: The client.
        ///   - limit: The time that running fetches and mutations have to end. Default 10 seconds.
        ///   - logger: Is told what had not ended. `nil` for none.
        public init(_ client: QueryClient, drainingFor limit: Duration = .seconds(10), logger: Logger? = nil) {
            (self.client, self.limit, self.logger) = (client, limit, logger)
        }

        /// Waits for the shutdown, and closes the client. If the group is cancelled, nothing that runs is waited for.
        public func run() async throws {
            // Throws if the task is cancelled, and then closing does not wait.
            try? await gracefulShutdown()
            let report = await client.close(within: limit)
            guard !report.isComplete else { return }
            logger?.warning("The client was closed: \(report)")
        }
    }
#endif
