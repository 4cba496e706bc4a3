import PigeonUI
import SwiftUI

/// Tells that the app is offline, and how many changes wait or are being sent. Takes no space otherwise.
struct StatusBanner: View {
    @UseActivity private var activity: ClientActivity
    @EnvironmentObject private var shop: Shop

    var body: some View {
        if !shop.isOnline {
            banner(waiting, systemImage: "wifi.slash")
        } else if activity.isMutating {
            banner("Saving", systemImage: "arrow.triangle.2.circlepath")
        }
    }

    private var waiting: LocalizedStringKey {
        switch activity.mutationCount {
        case 0: "Offline"
        case 1: "Offline. One change is sent later."
        case let count: "Offline. \(count) changes are sent later."
        }
    }

    private func banner(_ text: LocalizedStringKey, systemImage: String) -> some View {
        Label(text, systemImage: systemImage)
            .font(.footnote)
            .padding(8)
            .frame(maxWidth: .infinity)
            .background(.bar)
    }
}
