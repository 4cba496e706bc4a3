#if canImport(SwiftUI)
    /// What a view can show of a piece of server data, whichever face it comes from: a value, an activity and an error, side
    /// by side.
    ///
    /// ```swift
    /// let state = ViewState(content: user, isLoading: true)
    /// ```
    public struct ViewState<Content> {
        /// What there is to show, also while it is loaded again or after that failed.
        public var content: Content?

        /// Whether it is being loaded.
        public var isLoading: Bool

        /// Whether the load waits for the network.
        public var isWaiting: Bool

        /// Why the last load failed.
        public var error: (any Error)?

        /// Whether it is known that there is nothing, and nothing is being loaded.
        private(set) var isKnownEmpty = false

        /// Creates a state.
        public init(
            content: Content? = nil, isLoading: Bool = false, isWaiting: Bool = false, error: (any Error)? = nil
        ) {
            self.content = content
            self.isLoading = isLoading
            self.isWaiting = isWaiting
            self.error = error
        }

        /// The same state with other content.
        public func map<Other>(_ transform: (Content) throws -> Other) rethrows -> ViewState<Other> {
            var other = try ViewState<Other>(
                content: content.map(transform), isLoading: isLoading, isWaiting: isWaiting, error: error)
            other.isKnownEmpty = isKnownEmpty
            return other
        }

        /// The state of data that is known to be absent.
        static var empty: ViewState {
            var state = ViewState()
            state.isKnownEmpty = true
            return state
        }
    }

    extension ViewState: Sendable where Content: Sendable {}

    extension ViewState {
        /// What a screen is filled with.
        enum Phase {
            case loading
            case content(Content)
            /// There is no data, or content without elements.
            case empty
            case failure(any Error)
        }

        var phase: Phase {
            if let content { return Emptiness.isEmpty(content) ? .empty : .content(content) }
            if isKnownEmpty { return .empty }
            if let error, !isLoading { return .failure(error) }
            return .loading
        }
    }
#endif
