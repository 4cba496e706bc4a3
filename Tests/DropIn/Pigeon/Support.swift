import Foundation
import Pigeon
import PigeonCore
import Testing

struct User: Codable, Identifiable {
    let id: Int
    let name: String
}

let ann = User(id: 1, name: "Ann")
let bob = User(id: 2, name: "Bob")

struct Broken: Error {}

/// An answer that is there at once, as a fake's in an old program's tests.
func answer<Value>(_ value: Value) -> AnyPublisher<Value, Error> {
    Just(value).setFailureType(to: Error.self).eraseToAnyPublisher()
}

func failure<Value>(_ type: Value.Type = Value.self) -> AnyPublisher<Value, Error> {
    Fail(error: Broken()).eraseToAnyPublisher()
}

/// Notes things in order, from any thread.
final class Notes<Note: Sendable>: @unchecked Sendable {  // the lock guards the notes
    private let lock = NSLock()
    private var notes: [Note] = []

    func add(_ note: Note) {
        lock.lock()
        defer { lock.unlock() }
        notes.append(note)
    }

    var all: [Note] {
        lock.lock()
        defer { lock.unlock() }
        return notes
    }
}

/// A server whose answers the test gives when it likes.
final class Server<Request: Sendable, Response: Sendable>: @unchecked Sendable {  // the lock guards the calls
    private let lock = NSLock()
    private var calls: [(request: Request, subject: PassthroughSubject<Response, Error>)] = []

    func fetch(_ request: Request) -> AnyPublisher<Response, Error> {
        let subject = PassthroughSubject<Response, Error>()
        // A subject forgets what it sends before anybody listens.
        return subject.handleEvents(receiveSubscription: { _ in
            self.lock.lock()
            defer { self.lock.unlock() }
            self.calls.append((request, subject))
        }).eraseToAnyPublisher()
    }

    var requests: [Request] {
        lock.lock()
        defer { lock.unlock() }
        return calls.map(\.request)
    }

    private var newest: PassthroughSubject<Response, Error>? {
        lock.lock()
        defer { lock.unlock() }
        return calls.last?.subject
    }

    func send(_ response: Response) {
        newest?.send(response)
    }

    func succeed(with response: Response) {
        newest?.send(response)
        newest?.send(completion: .finished)
    }

    func fail() {
        newest?.send(completion: .failure(Broken()))
    }
}

extension QueryState {
    /// The case alone, as an old program's own extension has it.
    var label: String {
        switch self {
        case .idle: return "idle"
        case .loading: return "loading"
        case .succeed: return "succeed"
        case .failed: return "failed"
        }
    }
}

/// Returns once a condition holds. It holds sooner or later, or the test's time limit ends it.
@MainActor
func until(_ holds: () -> Bool) async {
    while !holds() && !Task.isCancelled { await Task.yield() }
}

/// Returns once nothing is fetched any more.
@MainActor
func settle<Request, Response>(_ query: Query<Request, Response>) async {
    await until { !query.snapshot.isFetching }
}

@MainActor
func settle<Request, Page, Response>(_ list: PaginatedQuery<Request, Page, Response>) async {
    await until { !list.snapshot.isFetching && !list.isFetchingNextPage }
}

/// Runs each test with a client, a cache and a configuration of its own in place of the program's.
struct OwnSharedState: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await SharedState.$current.withValue(SharedState()) {
            QueryCache.setGlobal(QueryCache(wrappedCache: InMemoryQueryCache()))
            try await function()
        }
    }
}
