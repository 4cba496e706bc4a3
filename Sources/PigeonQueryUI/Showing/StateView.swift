#if canImport(SwiftUI)
    public import SwiftUI

    /// A view that shows a state of server data from any module. It shows the content if there is any. Otherwise it
    /// shows a loading view, an empty view, the error with a way to retry, or an idle view if nothing is requested.
    ///
    /// ```swift
    /// StateView(snapshot, retry: { Task { await users.refresh() } }) { users in
    ///     List(users) { Text($0.name) }
    /// }
    /// ```
    ///
    /// Content stays visible during a refetch and after a failed refetch. A message below the content then reports the
    /// failure (see `View.refreshFailures(_:)`). The end of a load without content is announced to users of VoiceOver (see
    /// `View.announcesLoads(_:)`). Make the content a single view, such as a list: if it consists of
    /// several rows, each row would have that message. All parts except the content have default views, which you can
    /// replace with closures.
    public struct StateView<Shown, Content: View, Loading: View, Failure: View, Empty: View, Idle: View>: View {
        private let state: ViewState<Shown>
        private let retry: RetryAction?
        private let content: (Shown) -> Content
        private let loading: () -> Loading
        private let failure: (any Error, RetryAction?) -> Failure
        private let empty: () -> Empty
        private let idle: () -> Idle

        @State private var memory = WaitMemory()
        @Environment(\.announce) private var announce

        /// Creates a view that shows a state.
        ///
        /// - Parameters:
        ///   - state: A `Snapshot`, a `QueryState` or a ``ViewState``. With `PigeonUI`, also a `LoadingState` or a
        ///     `ResourceState`.
        ///   - retry: Loads the data again. Without it, failures cannot be retried.
        ///   - content: The view of the content.
        ///   - loading: The view during a load without content.
        ///   - failure: The view of an error without content.
        ///   - empty: The view of a collection without elements, and of a store that was emptied.
        ///   - idle: The view while nothing is requested. Make it more than an `EmptyView`, for which SwiftUI ignores
        ///     modifiers such as `onAppear`.
        public init(
            _ state: some ViewStateConvertible<Shown>, retry: RetryAction? = nil,
            @ViewBuilder content: @escaping (Shown) -> Content,
            @ViewBuilder loading: @escaping () -> Loading = { LoadingView() },
            @ViewBuilder failure: @escaping (any Error, RetryAction?) -> Failure = { FailureView($0, retry: $1) },
            @ViewBuilder empty: @escaping () -> Empty = { EmptyContentView() },
            @ViewBuilder idle: @escaping () -> Idle = { IdleView() }
        ) {
            self.state = state.viewState
            self.retry = retry
            self.content = content
            self.loading = loading
            self.failure = failure
            self.empty = empty
            self.idle = idle
        }

        /// The view that fits the state.
        public var body: some View {
            let _ = memory.note(Wait(state), announce)
            part.isSeen(by: memory)
        }

        @ViewBuilder
        private var part: some View {
            switch state.phase {
            case .content(let shown): content(shown).modifier(RefreshFailure(error: state.error, retry: retry))
            case .empty:
                empty().environment(\.reload, retry).modifier(RefreshFailure(error: state.error, retry: retry))
            case .failure(let error): failure(error, retry)
            case .loading where state.isWaiting: WaitingView()
            case .loading: loading()
            case .idle: idle()
            }
        }
    }

    /// The action of a button that retries a failed load.
    public typealias RetryAction = @MainActor () -> Void

    /// A view that shows the error of a load, and offers a retry.
    public struct FailureView: View {
        private let error: any Error
        private let retry: RetryAction?

        /// Creates a view that shows an error.
        ///
        /// - Parameter retry: Loads the data again. Without it, there is no button.
        public init(_ error: any Error, retry: RetryAction? = nil) {
            self.error = error
            self.retry = retry
        }

        /// A symbol, the message and the button, which scroll if the text is too large for the screen.
        public var body: some View {
            ViewThatFits(in: .vertical) {
                parts
                ScrollView { parts }
            }
            .frame(maxWidth: .infinity, maxHeight: .infinity)
        }

        private var parts: some View {
            VStack(spacing: 12) {
                Image(systemName: "exclamationmark.triangle")
                    .accessibilityHidden(true)
                Text(error.userMessage)
                    .multilineTextAlignment(.center)
                if let retry {
                    Button(UserText.retry.text, action: retry)
                        .buttonStyle(.bordered)
                }
            }
            .padding()
        }
    }

    /// A spinner, which screen readers read as "Loading".
    public struct LoadingView: View {
        /// Creates the view.
        public init() {}

        /// The spinner.
        public var body: some View {
            ProgressView()
                .accessibilityLabel(UserText.loading.text)
        }
    }

    /// A view that reports that there is no content. In a ``StateView`` or a ``QueryView`` whose data can be loaded again,
    /// it has a button for that, and can be pulled down if the view is `refreshable`.
    public struct EmptyContentView: View {
        @Environment(\.reload) private var reload
        @Environment(\.refresh) private var refresh

        /// Creates the view.
        public init() {}

        /// A line of text in the middle, and the button.
        public var body: some View {
            VStack(spacing: 12) {
                Text(UserText.nothingHere.text)
                    .foregroundStyle(.secondary)
                    .allowsHitTesting(false)  // the view behind it is pulled
                if let reload {
                    Button(UserText.refresh.text, action: reload)
                        .buttonStyle(.bordered)
                }
            }
            .frame(maxWidth: .infinity, maxHeight: .infinity)
            // Behind the text, it has the size of this view, wherever that is placed.
            .background {
                if refresh != nil { ScrollView { Color.clear } }
            }
        }
    }

    extension EnvironmentValues {
        /// Loads the data again of which a view reports that there is none.
        fileprivate(set) var reload: RetryAction? {
            get { self[ReloadKey.self] }
            set { self[ReloadKey.self] = newValue }
        }
    }

    private struct ReloadKey: EnvironmentKey {
        static var defaultValue: RetryAction? { nil }
    }

    /// A view for data that is not requested yet: a clear area.
    ///
    /// It is not an `EmptyView`, so that modifiers of the view around it, such as `searchable` and `onAppear`, have an
    /// effect.
    public struct IdleView: View {
        /// Creates the view.
        public init() {}

        /// A clear area.
        public var body: some View {
            Color.clear
        }
    }

    /// A view that reports that a load waits for the network.
    struct WaitingView: View {
        var body: some View {
            Label(UserText.waitingForNetwork.text, systemImage: "wifi.slash")
                .foregroundStyle(.secondary)
                .frame(maxWidth: .infinity, maxHeight: .infinity)
        }
    }

    /// The visibility of the message below content that could not be refreshed.
    public enum RefreshFailureVisibility: Sendable, Hashable {
        /// The message is shown, with a button to retry.
        case shown
        /// The message is hidden. The screen can report the failure in another way.
        case hidden
    }

    extension View {
        /// Sets the visibility of the message below content that could not be refreshed, for this view and the views
        /// inside it. The message is shown by default.
        public func refreshFailures(_ visibility: RefreshFailureVisibility) -> some View {
            environment(\.refreshFailures, visibility)
        }
    }

    extension EnvironmentValues {
        fileprivate(set) var refreshFailures: RefreshFailureVisibility {
            get { self[RefreshFailuresKey.self] }
            set { self[RefreshFailuresKey.self] = newValue }
        }
    }

    private struct RefreshFailuresKey: EnvironmentKey {
        static let defaultValue = RefreshFailureVisibility.shown
    }

    /// Adds a message below content that could not be refreshed.
    struct RefreshFailure: ViewModifier {
        let error: (any Error)?
        let retry: RetryAction?

        @Environment(\.refreshFailures) private var visibility
        @Environment(\.dynamicTypeSize) private var typeSize

        func body(content: Content) -> some View {
            content.safeAreaInset(edge: .bottom) {
                if let error, visibility == .shown {
                    // Beside a button, a large text would have no room.
                    let layout = typeSize.isAccessibilitySize ? AnyLayout(VStackLayout()) : AnyLayout(HStackLayout())
                    layout {
                        Text(error.userMessage)
                            .fixedSize(horizontal: false, vertical: true)
                        if let retry { Button(UserText.retry.text, action: retry) }
                    }
                    .font(.footnote)
                    // Read at once, with the button's action.
                    .accessibilityElement(children: .combine)
                    .padding(8)
                    .frame(maxWidth: .infinity)
                    #if os(watchOS)
                        .background(.black)
                    #elseif os(tvOS)
                        .background(.regularMaterial)
                    #else
                        .background(.bar)
                    #endif
                }
            }
        }
    }
#endif
