/// Tells one state from the next without comparing data.
struct StateMark: Equatable {
    enum Phase: Equatable {
        case loading
        case completed(next: Page, prev: Page)
        case failed(count: UInt32)
        case empty
    }

    enum Page: Equatable {
        case fixed
        case loading
        /// The load that failed.
        case failed(UInt64)

        init(_ page: PageWork?) {
            guard let page, page.isFetching || page.error != nil else {
                self = .fixed
                return
            }
            self = page.isFetching ? .loading : .failed(page.failedGeneration)
        }
    }

    let phase: Phase
    /// Of the content, where the state shows any.
    let valueVersion: UInt64

    init(_ picture: EntryPicture) {
        if picture.isLoading {
            phase = .loading
        } else if picture.failure != nil {
            phase = .failed(count: picture.failureCount)
        } else if picture.payload != nil {
            phase = .completed(next: Page(picture.side?.next), prev: Page(picture.side?.previous))
        } else {
            phase = .empty
        }
        valueVersion =
            switch phase {
            case .loading, .completed: picture.valueVersion
            case .failed, .empty: 0
            }
    }
}

extension LoadingState where T: Sendable {
    /// What a picture of a store's entry says.
    init(_ picture: EntryPicture) {
        let content = (picture.payload as? PayloadOf<StoreContent<T>>)?.value
        if picture.isLoading {
            self = .loading(content: content?.data.value)
        } else if let failure = picture.failure {
            self = .error(rawError: failure.error)
        } else if let content {
            self = .completed(
                content: content.data.value, next: AdditionalLoadingState(picture.side?.next, key: content.keys[.next]),
                prev: AdditionalLoadingState(picture.side?.previous, key: content.keys[.previous]))
        } else {
            // Nothing is there, and nothing is being loaded: to say "loading" would be for ever.
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

extension EntryPicture {
    /// Whether data is being fetched, or the cache has not said yet what it holds.
    fileprivate var isLoading: Bool {
        activity != .idle || (payload == nil && failure == nil && !isSourceKnown)
    }

    private var isSourceKnown: Bool {
        guard let source = side?.source else { return false }
        return source.wasRead && source.isIdle
    }
}
