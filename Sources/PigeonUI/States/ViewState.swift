#if canImport(SwiftUI)
    /// The state of a piece of server data that a view can show, from any module: content, activity and error.
    ///
    /// ```swift
    /// let state = ViewState(content: user, isLoading: true)
    /// ```
    public struct ViewState<Content> {
        /// The content, also during a refetch and after a failed refetch. `nil` if there is none.
        public var content: Content?

        /// True if the content is being loaded.
        public var isLoading: Bool

        /// True if the load waits for the network.
        public var isWaiting: Bool

        /// The error of the last load.
        public var error: (any Error)?

        /// True if there is certainly no content, and none is being loaded.
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

        /// Returns the same state with transformed content.
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
        /// The part of a view that is shown.
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
