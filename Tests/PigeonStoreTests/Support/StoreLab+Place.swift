import PigeonStore

extension StoreLab {
    /// The functions of a cache.
    enum Function: String, CaseIterable, Sendable {
        case load
        case save
        case needRefresh
        case loadKeys
        case saveKeys
        case add
    }

    /// A misbehavior of a function.
    enum Trouble: Sendable {
        case throwing
        /// The function ends only when the lab is released.
        case hanging
        /// The publisher ends without a value.
        case noValue
        /// The publisher sends its value, and then another one.
        case twice
    }

    /// The place of the data: a cache that records its calls.
    final class Place: Sendable {
        struct Kept: Sendable {
            var data: [Int]?
            var keys = PageKeys()
            /// True if the current data must be fetched again.
            var isStale = false
            /// True if data that is saved must be fetched again at once.
            var savesStale = false
            var troubles: [Function: Trouble] = [:]
            var calls: [String] = []
        }

        private struct State {
            var kept = Kept()
            var held: [@Sendable () -> Void] = []
            var hung: [@Sendable () -> Void] = []
            var isPutAway = false
        }

        private let state = Locked(State())
        private let isSuspending: Bool

        init(isSuspending: Bool) {
            self.isSuspending = isSuspending
        }

        var kept: Kept { state.withLock { $0.kept } }

        func change(_ change: (inout Kept) -> Void) {
            state.withLock { change(&$0.kept) }
        }

        func put(_ data: [Int], _ next: String? = nil, _ prev: String? = nil, isStale: Bool) {
            change { ($0.data, $0.keys, $0.isStale) = (data, PageKeys(next: next, prev: prev), isStale) }
        }

        func put(_ start: StoreScript.Start) {
            switch start {
            case .empty: break
            case .valid(let data, let next, let prev): put(data, next, prev, isStale: false)
            case .stale(let data, let next, let prev): put(data, next, prev, isStale: true)
            }
        }

        /// The data and its keys as text.
        var text: String {
            let kept = kept
            guard let data = kept.data else { return "nothing" }
            guard kept.keys != PageKeys() else { return "\(data)" }
            return "\(data) next \(kept.keys.next ?? "-") prev \(kept.keys.prev ?? "-")"
        }

        /// Returns the calls since the last call of this function.
        func takeCalls() -> [String] {
            state.withLock { state in
                defer { state.kept.calls = [] }
                return state.kept.calls
            }
        }

        // MARK: Calls

        /// Makes one call of an async function.
        func call<Answer>(
            _ function: Function, _ note: String = "", _ work: (inout Kept) -> Answer
        ) async throws -> Answer {
            switch begin(function, note) {
            case .throwing: throw Broken(function.rawValue)
            case .hanging:
                await withCheckedContinuation { continuation in hang { continuation.resume() } }
                throw CancellationError()
            case .noValue, .twice, nil: break
            }
            if isSuspending { await withCheckedContinuation { continuation in hold { continuation.resume() } } }
            return state.withLock { work(&$0.kept) }
        }

        /// Makes one call of a function that returns a publisher.
        ///
        /// - Parameter other: The value that the function sends after its answer if its trouble is ``Trouble/twice``.
        func publisher<Answer: Sendable>(
            _ function: Function, _ note: String = "", after other: Answer,
            _ work: @escaping @Sendable (inout Kept) -> Answer
        ) -> AnyPublisher<Answer, Never> {
            let call = Deferred<AnyPublisher<Answer, Never>> { [self] in
                switch begin(function, note) {
                case .noValue: return Empty().eraseToAnyPublisher()
                case .hanging: return Empty(completeImmediately: false).eraseToAnyPublisher()
                case .twice: return [state.withLock { work(&$0.kept) }, other].publisher.eraseToAnyPublisher()
                case .throwing, nil: break
                }
                guard isSuspending else { return Just(state.withLock { work(&$0.kept) }).eraseToAnyPublisher() }
                // The subject buffers the value, because the call may be resumed before the subscriber has subscribed.
                let later = PatientSubject<Answer, Never>()
                hold { [self] in later.send(state.withLock { work(&$0.kept) }) }
                return later.eraseToAnyPublisher()
            }
            return call.eraseToAnyPublisher()
        }

        private func begin(_ function: Function, _ note: String) -> Trouble? {
            state.withLock { state in
                state.kept.calls.append(note.isEmpty ? function.rawValue : "\(function.rawValue) \(note)")
                return state.kept.troubles[function]
            }
        }

        private func hold(_ resume: @escaping @Sendable () -> Void) {
            state.withLock { $0.held.append(resume) }
        }

        private func hang(_ resume: @escaping @Sendable () -> Void) {
            let isPutAway = state.withLock { state in
                if !state.isPutAway { state.hung.append(resume) }
                return state.isPutAway
            }
            if isPutAway { resume() }
        }

        /// Resumes the suspended functions.
        ///
        /// - Returns: True if there was one.
        func resumeHeld() -> Bool {
            let held = state.withLock { state in
                defer { state.held = [] }
                return state.held
            }
            for resume in held { resume() }
            return !held.isEmpty
        }

        func letGo() {
            let all = state.withLock { state in
                state.isPutAway = true
                defer { (state.held, state.hung) = ([], []) }
                return state.held + state.hung
            }
            for resume in all { resume() }
        }
    }
}
