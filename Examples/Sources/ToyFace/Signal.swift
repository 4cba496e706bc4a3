public import PigeonCore

/// A piece of server data that is read by calling it.
///
/// ```swift
/// let user = Signal(.user(42), client)
/// let title = effect { print(user()?.name ?? "Loading…") }
/// user.refresh()
/// ```
///
/// A signal can be read from any thread. It observes its data until it is released.
public final class Signal<Value: Sendable>: Sendable {
    private let client: QueryClient
    private let definition: QueryDefinition<Value>
    private let observer: QueryObserver<Value>

    /// Creates a signal of a definition. Fetches the value if it is missing or stale.
    public init(_ definition: QueryDefinition<Value>, _ client: QueryClient) {
        self.client = client
        self.definition = definition.face(Signals())
        observer = client.observe(self.definition)
    }

    /// Returns the value. `nil` if there is none yet.
    public func callAsFunction() -> Value? { read { Int($0.valueVersion) }.value }

    /// The error of the last fetch. `nil` if it succeeded.
    public var error: (any Error)? { read { $0.error == nil ? 0 : $0.failureCount }.error }

    /// True if a fetch runs.
    public var isLoading: Bool { read { $0.isFetching ? 1 : 0 }.isFetching }

    /// Fetches the value again, and does not wait for it.
    public func refresh() {
        _ = client.environment.launch { [client, definition] in _ = try? await client.refetch(definition) }
    }

    /// Returns the snapshot. An effect that is running runs again when the snapshot has another mark.
    private func read(_ mark: @escaping @Sendable (Snapshot<Value>) -> Int) -> Snapshot<Value> {
        Effect.current?.read(observer, mark) ?? observer.snapshot
    }
}

/// The face of signals.
struct Signals: QueryFace {
    var name: String? { "signal" }
}
