#if canImport(SwiftUI)
    public import SwiftUI

    /// A view that reports that there is no content.
    public struct EmptyContentView: View {
        /// Creates the view.
        public init() {}

        /// A line of text in the middle.
        public var body: some View {
            Text("Nothing Here")
                .foregroundStyle(.secondary)
                .frame(maxWidth: .infinity, maxHeight: .infinity)
        }
    }

    /// A view that reports that a load waits for the network.
    struct WaitingView: View {
        var body: some View {
            Label("Waiting for the Network", systemImage: "wifi.slash")
                .foregroundStyle(.secondary)
                .frame(maxWidth: .infinity, maxHeight: .infinity)
        }
    }
#endif
