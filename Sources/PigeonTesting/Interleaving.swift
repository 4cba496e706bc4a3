public import PigeonCore

/// Runs code as if on several threads, and has a seed decide which of them goes on.
///
/// One thread runs at a time. Before each lock that Pigeon takes, and wherever a task suspends, the seed decides whether
/// another one continues instead. So a race that real threads lose once in a million runs is found within some thousand
/// seeds, and the seed that found it finds it again:
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
/// Child tasks of the code take part, and so does all that a client does that was created with the environment. Tasks of
/// `Task { … }` and code on the main actor do not: start them with a task group, `async let` or the environment's
/// ``QueryEnvironment/launch``. Time stands still while anything can go on: a loop that
/// asks again and again holds it up.
///
/// In release builds threads are switched only where tasks suspend.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct Interleaving: Sendable {
    /// Decides which thread goes on, and all that the environment's random source is asked.
    public let seed: UInt64

    /// Creates an interleaving.
    public init(seed: UInt64) {
        self.seed = seed
    }

    /// The code did not end.
    public struct Stuck: Error, CustomStringConvertible {
        /// The seed of the run.
        public let seed: UInt64
        let reason: String

        /// The seed, and what kept the code from ending.
        public var description: String { "seed \(seed): \(reason)" }
    }

    /// Runs the code, and then all that it started and left running, up to where that waits for time to pass.
    ///
    /// The threads are the interleaving's own: no thread of the pool is blocked.
    ///
    /// - Parameter body: Gets the environment for its clients. Waiting for the environment's clock costs no time.
    /// - Throws: What the code threw; ``Stuck`` when all that is left of it waits for what nobody will do, when it took ten
    ///   million turns, or when a thread has blocked for a minute.
    public func run<Result: Sendable>(
        _ body: @escaping @Sendable (_ environment: QueryEnvironment) async throws -> Result
    ) async throws -> Result {
        let threads = SeededThreads(seed: seed)
        let outcome = Locked<Swift.Result<Result, any Error>?>(nil)
        let environment = threads.environment
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
