import PigeonUI
import SwiftUI

/// The app's looks, the sample server's moods, and the way out.
struct SettingsScreen: View {
    let user: User
    @EnvironmentObject private var shop: Shop
    @UseActivity private var activity: ClientActivity
    @AppStorage("appearance") private var appearance = Appearance.system
    @State private var isLeaving = false

    var body: some View {
        Form {
            Section {
                LabeledContent("Signed in as", value: user.name)
                Button("Sign Out", role: .destructive) { isLeaving = true }
            }
            Section {
                Picker("Appearance", selection: $appearance) {
                    ForEach(Appearance.allCases, id: \.self) { Text($0.title).tag($0) }
                }
            }
            Section("Sample server") {
                Toggle("No network", isOn: $shop.isOffline)
                Toggle("Each request fails", isOn: $shop.isFailing)
            }
            Section("Data") {
                Button("Clear Cache") { Task { await shop.clearCache() } }
                NavigationLink("What happened") { ActivityScreen(notes: shop.notes) }
            }
        }
        .navigationTitle("Settings")
        .alert("Sign out?", isPresented: $isLeaving) {
            Button("Sign Out", role: .destructive) { Task { await shop.signOut() } }
            Button("Cancel", role: .cancel) {}
        } message: {
            if activity.isMutating { Text("Changes that are not yet sent are lost.") }
        }
    }
}

/// The colours of the app.
enum Appearance: String, CaseIterable {
    case system, light, dark

    var title: LocalizedStringKey {
        switch self {
        case .system: "As the system"
        case .light: "Light"
        case .dark: "Dark"
        }
    }

    /// `nil` follows the system.
    var colorScheme: ColorScheme? {
        switch self {
        case .system: nil
        case .light: .light
        case .dark: .dark
        }
    }
}
