/// Distinguishes a state from the next one without comparing data.
struct StateMark: Equatable {
    enum Phase: Equatable {
        case loading
        case completed(next: Page, prev: Page)
        /// Each failure is an object of its own.
        case failed(Failure)
        case empty
    }

    enum Page: Equatable {
        case fixed
        case loading
        case failed(Failure)

        init(_ page: PageWork?) {
            self = page?.isFetching == true ? .loading : page?.error.map { .failed($0) } ?? .fixed
        }
    }

    let phase: Phase
    /// The version of the content. 0 if the state shows no content.
    let valueVersion: UInt64

    init(_ entryState: EntryState) {
        if entryState.isLoading {
            phase = .loading
        } else if let failure = entryState.failure {
            phase = .failed(failure)
        } else if entryState.payload != nil {
            phase = .completed(next: Page(entryState.side?.next), prev: Page(entryState.side?.previous))
        } else {
            phase = .empty
        }
        valueVersion =
            switch phase {
            case .loading, .completed: entryState.valueVersion
            case .failed, .empty: 0
            }
    }
}

/// The loading state that follows from the state of a store's entry. Created once, and shared by all readers.
///
/// This class is not generic, so that its delivery looks up no type metadata.
class ShownState: @unchecked Sendable {  // immutable, as is its subclass
    let mark: StateMark

    required init(_ entryState: EntryState) {
        mark = StateMark(entryState)
    }

    /// Returns the loading state of an entry state, as an object of the class on which this is called.
    static func shown(by entryState: EntryState) -> ShownState {
        if let kept = entryState.rendition as? ShownState, type(of: kept) == self { return kept }
        let made = self.init(entryState)
        entryState.keep(made)
        return made
    }
}

final class ShownStateOf<DATA: Sendable>: ShownState, @unchecked Sendable {  // immutable
    private let state: LoadingState<DATA>

    required init(_ entryState: EntryState) {
        state = LoadingState(entryState)
        super.init(entryState)
    }

    static func state(of entryState: EntryState) -> (state: LoadingState<DATA>, mark: StateMark) {
        let shown = unsafeDowncast(shown(by: entryState), to: Self.self)
        return (shown.state, shown.mark)
    }

    /// Creates a delivery to a subscriber. It skips a state that equals the last one. Send it objects of this class.
    static func delivery(
        to receive: @escaping (LoadingState<DATA>) -> Subscribers.Demand
    ) -> Delivery<ShownState, Never> {
        let last = LastMark()
        return Delivery(.newest) { shown in
            guard shown.mark != last.mark else { return nil }
            last.mark = shown.mark
            return unsafeDowncast(shown, to: ShownStateOf.self).pass(to: receive)
        } complete: { _ in
            // The states of a store have no end.
        }
    }

    /// Passes the state where it is: a copy would look up type metadata.
    private func pass(to receive: (LoadingState<DATA>) -> Subscribers.Demand) -> Subscribers.Demand {
        receive(state)
    }
}

private final class LastMark {
    @exclusivity(unchecked) var mark: StateMark?  // a delivery calls its subscriber from one thread at a time
}

extension LoadingState where T: Sendable {
    init(_ entryState: EntryState) {
        let content = (entryState.payload as? PayloadOf<StoreContent<T>>)?.value
        if entryState.isLoading {
            self = .loading(content: content?.data.value)
        } else if let failure = entryState.failure {
            self = .error(rawError: failure.error)
        } else if let content {
            self = .completed(
                content: content.data.value,
                next: AdditionalLoadingState(entryState.side?.next, key: content.keys[.next]),
                prev: AdditionalLoadingState(entryState.side?.previous, key: content.keys[.previous]))
        } else {
            // There is no data, and none is being loaded. A loading state would never end.
            self = .error(rawError: NoSuchElementError())
        }
    }
}

extension AdditionalLoadingState {
    fileprivate init(_ page: PageWork?, key: String?) {
        if let page, page.isFetching {
            self = .loading
        } else if let error = page?.error {
            self = .error(rawError: error.error)
        } else {
            self = .fixed(canRequestAdditionalData: key != nil)
        }
    }
}

extension EntryState {
    /// True if data is being fetched, or if the cache has not been read yet.
    fileprivate var isLoading: Bool {
        activity != .idle || (payload == nil && failure == nil && !isSourceKnown)
    }

    /// True if the cache is being read, and there is nothing else to show yet.
    var isUnread: Bool {
        payload == nil && failure == nil && activity == .idle && side?.source.isIdle == false
    }

    private var isSourceKnown: Bool {
        guard let source = side?.source else { return false }
        return source.wasRead && source.isIdle
    }
}
