public import PigeonCore

/// Runs code as if on several threads. A seed decides which thread continues.
///
/// One thread runs at a time. Before each lock that Pigeon takes, and wherever a task suspends, the seed decides
/// whether another thread continues instead. A race that occurs once in a million runs on real threads is found within
/// a few thousand seeds, and its seed reproduces it:
///
/// ```swift
/// for seed: UInt64 in 0..<1_000 {
///     try await Interleaving(seed: seed).run { environment in
///         let client = QueryClient(environment: environment)
///         try client.set(Counter(count: 0), for: .counter)
///         async let first = client.mutate(Increment())
///         async let second = client.mutate(Increment())
///         _ = try await (first, second)
///         #expect(client.value(of: .counter)?.count == 2)
///     }
/// }
/// ```
///
/// Child tasks of the code are included, as is all work of a client that was created with the environment. Tasks of
/// `Task { … }` and code on the main actor are not: start such work with a task group, `async let` or the environment's
/// ``/PigeonCore/QueryEnvironment/launch``. Time stands still while any thread can continue, so a polling loop prevents
/// it from advancing.
///
/// In release builds, threads are switched only where tasks suspend.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct Interleaving: Sendable {
    /// Decides which thread continues, and the results of the environment's random source.
    public let seed: UInt64

    /// Creates an interleaving.
    public init(seed: UInt64) {
        self.seed = seed
    }

    /// An error that is thrown if the code does not end.
    public struct Stuck: Error, CustomStringConvertible {
        /// The seed of the run.
        public let seed: UInt64
        let reason: String

        /// The seed, and the reason why the code did not end.
        public var description: String { "seed \(seed): \(reason)" }
    }

    /// Runs the code, and then the work that it left running, until that waits for time to pass.
    ///
    /// The interleaving has its own threads, so it blocks no thread of the shared pool.
    ///
    /// - Parameter body: The code. It receives the environment for its clients. Waiting for the environment's clock
    ///   takes no real time.
    /// - Throws: The error of the code, or ``Stuck`` if the code is deadlocked, if it took ten million turns, or if a
    ///   thread has blocked for a minute.
    public func run<Result: Sendable>(
        _ body: @escaping @Sendable (_ environment: QueryEnvironment) async throws -> Result
    ) async throws -> Result {
        let threads = SeededThreads(seed: seed)
        let outcome = Locked<Swift.Result<Result, any Error>?>(nil)
        let environment = threads.makeEnvironment()
        let problem = await threads.run {
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body(environment)) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
        }
        guard let result = outcome.withLock({ $0 }) else {
            throw Stuck(seed: seed, reason: problem ?? "the code did not end")
        }
        return try result.get()
    }
}
