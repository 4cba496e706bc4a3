#if canImport(SwiftUI)
    public import SwiftUI

    /// Says that there is nothing to show.
    public struct EmptyContentView: View {
        /// Creates the view.
        public init() {}

        /// A line in the middle.
        public var body: some View {
            Text("Nothing Here")
                .foregroundStyle(.secondary)
                .frame(maxWidth: .infinity, maxHeight: .infinity)
        }
    }

    /// Says that a load waits for the network.
    struct WaitingView: View {
        var body: some View {
            Label("Waiting for the Network", systemImage: "wifi.slash")
                .foregroundStyle(.secondary)
                .frame(maxWidth: .infinity, maxHeight: .infinity)
        }
    }
#endif
