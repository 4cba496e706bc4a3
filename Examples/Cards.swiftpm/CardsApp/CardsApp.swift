import Cards
import PigeonUI
import SwiftUI

#if canImport(AppKit)
    import AppKit
#endif

@main
struct CardsApp: App {
    @StateObject private var shop = Shop.sample()

    init() {
        #if canImport(AppKit)
            // `swift run` starts a program without a bundle, which macOS gives no keyboard and no place in the Dock.
            NSApplication.shared.setActivationPolicy(.regular)
            NSApplication.shared.activate(ignoringOtherApps: true)
        #endif
    }

    var body: some Scene {
        WindowGroup {
            ShopView(shop)
        }
    }
}
