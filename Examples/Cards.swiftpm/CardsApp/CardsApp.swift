import Cards
import PigeonUI
import SwiftUI

@main
struct CardsApp: App {
    private let shop = Shop.sample()

    var body: some Scene {
        WindowGroup {
            ShopView(shop)
        }
    }
}
