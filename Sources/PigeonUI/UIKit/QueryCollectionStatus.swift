#if canImport(UIKit) && !os(watchOS)
    /// What a screen is to say beside the list that a query brings. See ``QueryCollectionController``.
    public enum QueryCollectionStatus: Sendable {
        /// Nothing was requested yet.
        case idle
        /// The list is being loaded, and there is nothing to show meanwhile.
        case loading
        /// The list is there; with why it could not be refreshed, or its next page not be loaded.
        case content(error: (any Error)?)
        /// The list is there, and nothing is in it.
        case empty
        /// The list could not be loaded, and there is nothing to show instead.
        case failed(any Error)

        init<Item>(_ reading: QueryFeed<Item>.Reading) {
            let error = reading.error ?? reading.nextPageError
            self =
                switch (reading.items?.isEmpty, error) {
                case (false, let error): .content(error: error)
                case (_, let error?) where !reading.isFetching: .failed(error)
                case (true, _): .empty
                case (nil, _): reading.isFetching ? .loading : .idle
                }
        }

        /// Whether the list is there, and nothing is in it.
        public var isEmpty: Bool {
            if case .empty = self { true } else { false }
        }

        /// Whether the list is being loaded, and there is nothing to show meanwhile.
        public var isLoading: Bool {
            if case .loading = self { true } else { false }
        }

        /// Why there is no list, or not the newest, or not its next page.
        public var error: (any Error)? {
            switch self {
            case .content(let error): error
            case .failed(let error): error
            case .idle, .loading, .empty: nil
            }
        }
    }
#endif
