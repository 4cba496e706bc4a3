#if canImport(SwiftUI)
    public import SwiftUI

    /// Whether content that could not be refreshed has a line below it that says so.
    public enum RefreshFailureVisibility: Sendable, Hashable {
        /// It has, with a button to try again.
        case shown
        /// It has not: the screen says it in a way of its own, or not at all.
        case hidden
    }

    extension View {
        /// Sets whether content that could not be refreshed says so, in this view and those inside it. By default it does.
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

    /// Says below content that it could not be refreshed.
    struct RefreshFailure: ViewModifier {
        let error: (any Error)?
        let retry: RetryAction?

        @Environment(\.refreshFailures) private var visibility

        func body(content: Content) -> some View {
            content.safeAreaInset(edge: .bottom) {
                if let error, visibility == .shown {
                    HStack {
                        Text(error.userMessage)
                            .font(.footnote)
                            .lineLimit(2)
                        if let retry {
                            Button("Try Again", action: retry)
                                .font(.footnote)
                        }
                    }
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
