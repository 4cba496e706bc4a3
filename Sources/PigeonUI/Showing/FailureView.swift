#if canImport(SwiftUI)
    public import SwiftUI

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

        /// A symbol, the message and the button.
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
