import PigeonUI
import SwiftUI

/// The app's root: four tabs over one client.
public struct ShopView: View {
    private let shop: Shop

    /// Shows a shop.
    public init(_ shop: Shop) {
        self.shop = shop
    }

    /// The tabs.
    public var body: some View {
        TabView {
            NavigationStack { CardsList(shop) }
                .tabItem { Label("Cards", systemImage: "rectangle.stack") }
            NavigationStack { PeopleList(api: shop.api) }
                .tabItem { Label("People", systemImage: "person.2") }
            NavigationStack { ActivityView(shop) }
                .tabItem { Label("Activity", systemImage: "list.bullet") }
        }
        .queryClient(shop.client)
    }
}
