#if canImport(SwiftUI)
    public import SwiftUI

    /// Says why something could not be loaded, and offers to try again.
    public struct FailureView: View {
        private let error: any Error
        private let retry: RetryAction?

        /// Shows an error.
        ///
        /// - Parameter retry: Asks again. Without it there is no button.
        public init(_ error: any Error, retry: RetryAction? = nil) {
            self.error = error
            self.retry = retry
        }

        /// A sign, the message and the button.
        public var body: some View {
            VStack(spacing: 12) {
                Image(systemName: "exclamationmark.triangle")
                    .accessibilityHidden(true)
                Text(error.userMessage)
                    .multilineTextAlignment(.center)
                if let retry {
                    Button("Try Again", action: retry)
                        .buttonStyle(.bordered)
                }
            }
            .padding()
            .frame(maxWidth: .infinity, maxHeight: .infinity)
        }
    }
#endif
