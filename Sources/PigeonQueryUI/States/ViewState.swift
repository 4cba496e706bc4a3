#if canImport(SwiftUI)
    public import Pigeon
    public import PigeonCore

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

        /// True if nothing is requested, as for `.nothing`, so that there is nothing to load.
        public var isIdle: Bool

        /// True if there is certainly no content, and none is being loaded.
        private(set) var isKnownEmpty = false

        /// Creates a state.
        public init(
            content: Content? = nil, isLoading: Bool = false, isWaiting: Bool = false, error: (any Error)? = nil,
            isIdle: Bool = false
        ) {
            self.content = content
            self.isLoading = isLoading
            self.isWaiting = isWaiting
            self.error = error
            self.isIdle = isIdle
        }

        /// Returns the same state with transformed content.
        public func map<Other>(_ transform: (Content) throws -> Other) rethrows -> ViewState<Other> {
            var other = try ViewState<Other>(
                content: content.map(transform), isLoading: isLoading, isWaiting: isWaiting, error: error,
                isIdle: isIdle)
            other.isKnownEmpty = isKnownEmpty
            return other
        }

        /// The state of data that is known to be absent.
        package static var empty: ViewState {
            var state = ViewState()
            state.isKnownEmpty = true
            return state
        }
    }

    extension ViewState: Sendable where Content: Sendable {}

    extension ViewState {
        /// The part of a view that is shown.
        enum Phase {
            /// Nothing is requested.
            case idle
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
            return isIdle && !isLoading ? .idle : .loading
        }
    }

    /// A state of server data that can be converted to a ``ViewState``. The state types of queries conform, and with
    /// `PigeonUI` those of resources and stores.
    public protocol ViewStateConvertible<ShownContent> {
        /// The type of the content.
        associatedtype ShownContent
        /// The state in the form that views show.
        var viewState: ViewState<ShownContent> { get }
    }

    extension ViewState: ViewStateConvertible {
        /// The state itself.
        public var viewState: ViewState<Content> { self }
    }

    extension Snapshot: ViewStateConvertible {
        /// The value in any activity. Idle without a value, an error and a fetch. An error that the snapshot shows during a
        /// fetch stays until that ends, as while a poll repeats a failed first load.
        public var viewState: ViewState<Value> {
            let hasOnlyError = value == nil && error != nil
            return ViewState(
                content: value, isLoading: (isFetching || isPaused) && !hasOnlyError, isWaiting: isPaused, error: error,
                isIdle: value == nil && error == nil && activity == .idle)
        }
    }

    extension QueryState: ViewStateConvertible {
        /// The value of a `succeed` state. A `loading` state has none. To show the last value during a refetch, use the
        /// query itself or its snapshot.
        public var viewState: ViewState<Response> {
            var state = ViewState(content: value, isLoading: isLoading, error: error)
            if case .idle = self { state.isIdle = true }
            return state
        }
    }

    enum Emptiness {
        /// Returns true if the content is a collection without elements, pages without elements, or `nil`.
        static func isEmpty(_ content: Any) -> Bool {
            switch content {
            case let pages as any PageCollection: pages.allSatisfy { isEmpty($0) }
            case let collection as any Collection: collection.isEmpty
            case let optional as any OptionalType: optional.isNone
            default: false
            }
        }
    }

    /// A list of pages of any type.
    private protocol PageCollection: Collection {}

    extension Pages: PageCollection {}

    private protocol OptionalType {
        var isNone: Bool { get }
    }

    extension Optional: OptionalType {
        fileprivate var isNone: Bool { self == nil }
    }
#endif
