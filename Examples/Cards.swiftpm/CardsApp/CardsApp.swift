import Cards
import Foundation
import PigeonUI
import SwiftUI

@main
struct CardsApp: App {
    private let shop = Shop.sample(cache: URL.applicationSupportDirectory.appending(path: "cards.sqlite"))

    var body: some Scene {
        WindowGroup {
            ShopView(shop)
        }
    }
}
