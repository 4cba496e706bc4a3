import PigeonStore
import PigeonTesting

extension StoreLab {
    /// A request of the program to a store, besides observing it.
    enum Request: Sendable {
        case validate
        case refresh
        case clear
        case update([Int]?)
        case updateKeys([Int]?, next: PageKeyUpdate = .keep, prev: PageKeyUpdate = .keep)
        case get(GettingFrom = .both)
        case require(GettingFrom = .both)
        case next(again: Bool = true)
        case prev(again: Bool = true)

        /// True if a publisher that cannot fail hides the errors of the request.
        var hidesErrors: Bool {
            switch self {
            case .validate, .refresh, .get, .require: false
            case .clear, .update, .updateKeys, .next, .prev: true
            }
        }
    }

    /// The outcome of a request: `done`, data, or an error.
    final class Outcome: Sendable {
        let request: Request
        private let result = Locked<[String]>([])
        private let cancelling = Locked<(() -> Void)?>(nil)

        init(_ request: Request) {
            self.request = request
        }

        /// The text of the outcome. `nil` while there is none. If there is more than one value, all of them.
        var text: String? {
            result.withLock { $0.isEmpty ? nil : $0.joined(separator: " and ") }
        }

        func end(_ text: String) { result.withLock { $0.append(text) } }

        fileprivate func onCancel(_ cancel: @escaping () -> Void) {
            cancelling.withLock { $0 = cancel }
        }

        /// Cancels the task or the subscription.
        func cancel() {
            let cancel = cancelling.withLock { $0 }
            cancel?()
        }
    }

    /// Starts a request in the lab's shape.
    func begin(_ request: Request) -> Outcome {
        let outcome = Outcome(request)
        let store = store
        switch shape {
        case .factories:
            let subscription = request.publisher(of: store).sink { outcome.end($0) }
            outcome.onCancel { subscription.cancel() }
        case .cachers:
            let task = lab.start { outcome.end(await request.run(on: store)) }
            outcome.onCancel { task.cancel() }
        }
        settle()
        return outcome
    }

    /// Waits for the outcome of a request.
    func end(of outcome: Outcome) async -> String {
        await wait { outcome.text != nil }
        return outcome.text ?? "no end"
    }

    /// Makes a request, and waits for its outcome.
    func run(_ request: Request) async -> String {
        await end(of: begin(request))
    }
}

extension StoreLab.Request {
    fileprivate func run(on store: AnyStoreFlowable<Int, [Int]>) async -> String {
        switch self {
        case .validate:
            await store.validate()
            return "done"
        case .refresh:
            await store.refresh()
            return "done"
        case .clear: return Self.text(await store.clear())
        case .update(let data): return Self.text(await store.update(newData: data))
        case .updateKeys(let data, let next, let prev):
            if let store = store as? AnyTwoWayPaginationStoreFlowable<Int, [Int]> {
                return Self.text(await store.update(newData: data, nextKey: next, prevKey: prev))
            }
            guard let store = store as? AnyPaginationStoreFlowable<Int, [Int]> else { return "no pages" }
            return Self.text(await store.update(newData: data, nextKey: next))
        case .get(let place): return await store.getData(from: place).map { "\($0)" } ?? "nil"
        case .require(let place):
            do { return "\(try await store.requireData(from: place))" } catch { return "!\(error.name)" }
        case .next(let again):
            guard let store = store as? AnyPaginationStoreFlowable<Int, [Int]> else { return "no pages" }
            return Self.text(await store.requestNextData(continueWhenError: again))
        case .prev(let again):
            guard let store = store as? AnyTwoWayPaginationStoreFlowable<Int, [Int]> else { return "no pages" }
            return Self.text(await store.requestPrevData(continueWhenError: again))
        }
    }

    private static func text(_ result: Result<Void, any Error>) -> String {
        switch result {
        case .success: "done"
        case .failure(let error): "!\(error.name)"
        }
    }

    fileprivate func publisher(of store: AnyStoreFlowable<Int, [Int]>) -> AnyPublisher<String, Never> {
        switch self {
        case .validate: return Self.text(store.validate())
        case .refresh: return Self.text(store.refresh())
        case .clear: return Self.text(store.clear())
        case .update(let data): return Self.text(store.update(newData: data))
        case .updateKeys(let data, let next, let prev):
            if let store = store as? AnyTwoWayPaginationStoreFlowable<Int, [Int]> {
                return Self.text(store.update(newData: data, nextKey: next, prevKey: prev))
            }
            guard let store = store as? AnyPaginationStoreFlowable<Int, [Int]> else { break }
            return Self.text(store.update(newData: data, nextKey: next))
        case .get(let place):
            let data: AnyPublisher<[Int]?, Never> = store.getData(from: place)
            return data.map { $0.map { "\($0)" } ?? "nil" }.eraseToAnyPublisher()
        case .require(let place):
            let data: AnyPublisher<[Int], any Error> = store.requireData(from: place)
            return data.map { "\($0)" }.catch { Just("!\($0.name)") }.eraseToAnyPublisher()
        case .next(let again):
            guard let store = store as? AnyPaginationStoreFlowable<Int, [Int]> else { break }
            return Self.text(store.requestNextData(continueWhenError: again))
        case .prev(let again):
            guard let store = store as? AnyTwoWayPaginationStoreFlowable<Int, [Int]> else { break }
            return Self.text(store.requestPrevData(continueWhenError: again))
        }
        return Just("no pages").eraseToAnyPublisher()
    }

    private static func text(_ publisher: AnyPublisher<Void, Never>) -> AnyPublisher<String, Never> {
        publisher.map { "done" }.eraseToAnyPublisher()
    }
}
