#if canImport(SwiftUI)
    public import SwiftUI

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
