import PigeonUI
import SwiftUI

/// What the client did and why, with two things to try: no network, and signing out.
struct ActivityView: View {
    private let shop: Shop
    @ObservedObject private var notes: Notes
    @State private var isOffline = false

    init(_ shop: Shop) {
        self.shop = shop
        notes = shop.notes
    }

    var body: some View {
        List {
            Section {
                Toggle("No network", isOn: $isOffline)
                Button("Forget everything", role: .destructive) {
                    Task { try? await shop.client.clear() }
                }
            }
            Section("Why") {
                ForEach(Array(notes.lines.enumerated()), id: \.offset) { _, line in
                    Text(line).font(.footnote)
                }
            }
        }
        .onChange(of: isOffline) { isOffline in
            shop.client.environment.connectivity.set(!isOffline)
        }
        .navigationTitle("Activity")
    }
}
