import Foundation
import PigeonStore

// An old program's own types, and what the tests need to read publishers.

/// The data that the stores of this list hold.
struct User: Equatable, Sendable {
    let id: Int
    var name: String

    init(_ id: Int, _ name: String = "ann") {
        self.id = id
        self.name = name
    }
}

/// The error of an origin.
struct OfflineError: Error, Equatable {}

/// A cache in memory, as the original's example has one.
final class Memory<Key: Hashable & Sendable, Value: Sendable>:
    @unchecked Sendable  // the lock guards its variable
{
    // guide: static property is not concurrency-safe: the variables of a cache in memory
    private let lock = NSLock()
    private var values: [Key: Value] = [:]

    subscript(key: Key) -> Value? {
        get { lock.withLock { values[key] } }
        set { lock.withLock { values[key] = newValue } }
    }

    func load(_ key: Key) -> AnyPublisher<Value?, Never> {
        Just(self[key]).eraseToAnyPublisher()
    }

    func save(_ value: Value?, _ key: Key) -> AnyPublisher<Void, Never> {
        self[key] = value
        return Just(()).eraseToAnyPublisher()
    }
}

/// A publisher of one value, as an origin in memory has it.
func answer<Value>(_ value: Value) -> AnyPublisher<Value, Error> {
    Just(value).setFailureType(to: Error.self).eraseToAnyPublisher()
}

/// A publisher that fails.
func failure<Value>(_ error: Error = OfflineError()) -> AnyPublisher<Value, Error> {
    Fail(error: error).eraseToAnyPublisher()
}

/// Subscribes, waits for the end, and returns the last value.
@discardableResult
func value<Value: Sendable, Failure: Error>(of publisher: AnyPublisher<Value, Failure>) async throws -> Value? {
    let (values, continuation) = AsyncThrowingStream.makeStream(of: Value.self)
    let subscription = publisher.sink { completion in
        switch completion {
        case .finished: continuation.finish()
        case .failure(let error): continuation.finish(throwing: error)
        }
    } receiveValue: {
        continuation.yield($0)
    }
    defer { subscription.cancel() }
    var last: Value?
    for try await value in values { last = value }
    return last
}

/// Subscribes, and returns the first state that is complete, or an error.
func settled<DATA: Sendable>(_ publisher: LoadingStatePublisher<DATA>) async -> LoadingState<DATA>? {
    let (states, continuation) = AsyncStream.makeStream(of: LoadingState<DATA>.self)
    let subscription = publisher.sink { continuation.yield($0) }
    defer { subscription.cancel() }
    for await state in states {
        if case .loading = state { continue }
        return state
    }
    return nil
}

/// Reads a sequence up to its first state that is complete, or an error.
func settled<DATA: Sendable>(_ states: LoadingStateSequence<DATA>) async -> LoadingState<DATA>? {
    for await state in states {
        if case .loading = state { continue }
        return state
    }
    return nil
}

/// A sequence of states that are known beforehand.
func sequence<DATA: Sendable>(_ states: LoadingState<DATA>...) -> LoadingStateSequence<DATA> {
    LoadingStateSequence(
        AsyncStream { continuation in
            for state in states { continuation.yield(state) }
            continuation.finish()
        })
}

extension LoadingState {
    /// A state that is complete, with nothing more to load.
    static func done(_ content: T) -> LoadingState {
        .completed(
            content: content, next: .fixed(canRequestAdditionalData: false),
            prev: .fixed(canRequestAdditionalData: false))
    }

    /// The state in a few letters, as an old program's log shows it.
    var text: String {
        switch self {
        case .loading(let content): content.map { "loading \($0)" } ?? "loading"
        case .completed(let content, let next, let prev): "\(content) \(next.text) \(prev.text)"
        case .error(let rawError): "error \(type(of: rawError))"
        }
    }
}

extension AdditionalLoadingState {
    var text: String {
        switch self {
        case .fixed(let canRequestAdditionalData): canRequestAdditionalData ? "more" : "end"
        case .loading: "loading"
        case .error(let rawError): "error \(type(of: rawError))"
        }
    }
}
