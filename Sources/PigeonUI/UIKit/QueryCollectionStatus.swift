#if canImport(UIKit) && !os(watchOS)
    /// The status that a screen shows besides the list of a query. See ``QueryCollectionController``.
    public enum QueryCollectionStatus: Sendable {
        /// The query has made no request yet.
        case idle
        /// The list is being loaded, and there are no items to show.
        case loading
        /// The list is loaded. `error` is the error of its last refresh, or of its next page.
        case content(error: (any Error)?)
        /// The list is loaded, and has no items.
        case empty
        /// The list could not be loaded, and there are no items to show.
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

        /// True if the list is loaded and has no items.
        public var isEmpty: Bool {
            if case .empty = self { true } else { false }
        }

        /// True if the list is being loaded and there are no items to show.
        public var isLoading: Bool {
            if case .loading = self { true } else { false }
        }

        /// The error of loading the list, of its last refresh, or of its next page.
        public var error: (any Error)? {
            switch self {
            case .content(let error): error
            case .failed(let error): error
            case .idle, .loading, .empty: nil
            }
        }
    }
#endif
