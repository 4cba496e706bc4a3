import PigeonStore
import Testing

extension StoreBench {
    /// The answer of the origin.
    struct Page: Sendable {
        var data: [Int]
        var next: String?
        var prev: String?
    }

    /// The origin of the data. Each call waits until a test ends it. The name of a call is `fetch`, or the direction
    /// and the key of a page, such as `next 3`.
    final class Origin: Sendable {
        private struct Call {
            let id: Int
            let name: String
            let send: @Sendable (Page) -> Void
            let end: @Sendable (Result<Page?, any Error>) -> Void
        }

        private struct State {
            var asked: [String] = []
            var cancelled: [String] = []
            var open: [Call] = []
            var lastID = 0
            var ready: (@Sendable (String) throws -> Page)?
        }

        private let state = Locked(State())

        /// Returns the calls since the last call of this function.
        func takeCalls() -> [String] {
            state.withLock { state in
                defer { state.asked = [] }
                return state.asked
            }
        }

        var askedCount: Int { state.withLock { $0.asked.count } }

        /// The calls that were cancelled.
        var cancelled: [String] { state.withLock { $0.cancelled } }

        /// The calls that wait for an answer.
        var open: [String] { state.withLock { $0.open.map(\.name) } }

        /// Answers all later calls at once.
        func answerAtOnce(_ ready: @escaping @Sendable (String) throws -> Page) {
            state.withLock { $0.ready = ready }
        }

        /// Ends the oldest call of a name.
        func end(_ name: String, _ result: Result<Page?, any Error>, location: SourceLocation = #_sourceLocation) {
            guard let call = take({ $0.name == name }) else {
                Issue.record("no call of \(name) is open: \(open)", sourceLocation: location)
                return
            }
            call.end(result)
        }

        /// Makes a publisher send a page, without ending it.
        func send(_ page: Page, of name: String, location: SourceLocation = #_sourceLocation) {
            guard let call = state.withLock({ $0.open.first { $0.name == name } }) else {
                Issue.record("no call of \(name) is open: \(open)", sourceLocation: location)
                return
            }
            call.send(page)
        }

        func letGo() {
            while let call = take({ _ in true }) { call.end(.failure(CancellationError())) }
        }

        private func take(_ isWanted: (Call) -> Bool) -> Call? {
            state.withLock { state in
                state.open.firstIndex(where: isWanted).map { state.open.remove(at: $0) }
            }
        }

        private func begin(_ name: String) -> (id: Int, ready: (@Sendable (String) throws -> Page)?) {
            state.withLock { state in
                state.asked.append(name)
                state.lastID += 1
                return (state.lastID, state.ready)
            }
        }

        private func cancel(_ id: Int) -> Call? {
            let call = take { $0.id == id }
            if let call { state.withLock { $0.cancelled.append(call.name) } }
            return call
        }

        // MARK: Calls

        func fetch(_ name: String) async throws -> Page {
            let (id, ready) = begin(name)
            if let ready { return try ready(name) }
            let page = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Page?, any Error>) in
                    let call = Call(
                        id: id, name: name, send: { _ in }, end: { continuation.resume(with: $0) })
                    state.withLock { $0.open.append(call) }
                }
            } onCancel: {
                cancel(id)?.end(.failure(CancellationError()))
            }
            return try page.orThrow(Broken("no page"))
        }

        func publisher(_ name: String) -> AnyPublisher<Page, any Error> {
            let call = Deferred<AnyPublisher<Page, any Error>> { [self] in
                let (id, ready) = begin(name)
                if let ready { return Result { try ready(name) }.publisher.eraseToAnyPublisher() }
                let pages = PatientSubject<Page, any Error>()
                let call = Call(id: id, name: name) { page in
                    pages.send(page)
                } end: { result in
                    switch result {
                    case .success(let page):
                        if let page { pages.send(page) }
                        pages.send(completion: .finished)
                    case .failure(let error): pages.send(completion: .failure(error))
                    }
                }
                state.withLock { $0.open.append(call) }
                return pages.handleEvents(receiveCancel: { [self] in _ = cancel(id) }).eraseToAnyPublisher()
            }
            return call.eraseToAnyPublisher()
        }
    }
}
