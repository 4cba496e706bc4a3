import CombineShim
import Pigeon
import PigeonCore
import PigeonTesting

/// A server that the test answers. Each call of its fetcher is a publisher that waits.
final class Server<Request: Sendable, Value: Sendable>: Sendable {
    private struct Call {
        let request: Request
        let subject: PassthroughSubject<Value, any Error>
        var isCancelled = false
        var isEnded = false
    }

    private let state = Locked<[Call]>([])
    private let lab: QueryLab

    /// - Parameter lab: The lab that runs the work after each answer.
    init(_ lab: QueryLab, _ request: Request.Type = Request.self, _ value: Value.Type = Value.self) {
        self.lab = lab
    }

    @Sendable
    func fetch(_ request: Request) -> AnyPublisher<Value, any Error> {
        let subject = PassthroughSubject<Value, any Error>()
        let index = state.withLock { calls in
            calls.append(Call(request: request, subject: subject))
            return calls.count - 1
        }
        return subject.handleEvents(receiveCancel: { [self] in
            state.withLock { $0[index].isCancelled = true }
        }).eraseToAnyPublisher()
    }

    /// The requests of all calls, in order.
    var requests: [Request] { state.withLock { $0.map(\.request) } }

    var callCount: Int { state.withLock { $0.count } }

    /// The calls whose subscription was cancelled.
    var cancelled: [Int] { state.withLock { calls in calls.indices.filter { calls[$0].isCancelled } } }

    /// Sends a value without ending the call. By default to the newest call.
    func send(_ value: Value, to index: Int? = nil) {
        subject(index)?.send(value)
        lab.settle()
    }

    func succeed(with value: Value, at index: Int? = nil) {
        let subject = subject(index)
        subject?.send(value)
        subject?.send(completion: .finished)
        lab.settle()
    }

    func fail(with error: any Error = Broken(), at index: Int? = nil) {
        subject(index)?.send(completion: .failure(error))
        lab.settle()
    }

    func finish(_ index: Int? = nil) {
        subject(index)?.send(completion: .finished)
        lab.settle()
    }

    private func subject(_ index: Int?) -> PassthroughSubject<Value, any Error>? {
        state.withLock { calls in
            let index = index ?? calls.count - 1
            return calls.indices.contains(index) ? calls[index].subject : nil
        }
    }
}

/// Renames the first user of the list, which shows it at once.
struct RenameFirst: Mutating {
    let name: String
    let server: Server<String, User>

    func run(_ context: MutationContext) async throws -> User {
        try await server.fetch(name).last().orThrow(Broken())
    }

    func optimistic(_ edits: inout OptimisticEdits) {
        edits.update(QueryDefinition<[User]>.value("users")) { $0[0] = User(id: 1, name: name) }
    }
}
