import PigeonUI
import SwiftUI

/// The app's root: passes the client to all screens, and shows the tabs to a user who is signed in.
public struct ShopView: View {
    @ObservedObject private var shop: Shop
    @AppStorage("appearance") private var appearance = Appearance.system

    /// Shows a shop.
    public init(_ shop: Shop) {
        self.shop = shop
    }

    /// The tabs, or the form to sign in.
    public var body: some View {
        Entrance()
            .environmentObject(shop)
            .queryClient(shop.client)
            .preferredColorScheme(appearance.colorScheme)
    }
}

private struct Entrance: View {
    @UseQuery(.me) private var me: Snapshot<User>

    var body: some View {
        if let user = me.value {
            Tabs(user: user)
        } else {
            SignInScreen()
        }
    }
}

private struct Tabs: View {
    let user: User
    @UseActivity private var activity: ClientActivity

    var body: some View {
        TabView {
            Stack { FeedScreen() }
                .tabItem { Label("Feed", systemImage: "photo.on.rectangle") }
            Stack { SearchScreen() }
                .tabItem { Label("Search", systemImage: "magnifyingglass") }
            Stack { CardsScreen() }
                .tabItem { Label("Cards", systemImage: "rectangle.stack") }
                .badge(activity.mutationCount)
            Stack { SettingsScreen(user: user) }
                .tabItem { Label("Settings", systemImage: "gearshape") }
        }
    }
}

/// A tab's pages, each above a line that tells what is going on.
private struct Stack<Root: View>: View {
    @ViewBuilder let root: Root

    var body: some View {
        NavigationStack {
            root
                .safeAreaInset(edge: .bottom, spacing: 0) { StatusBanner() }
                .navigationDestination(for: Card.self) { card in
                    CardDetail(card)
                        .safeAreaInset(edge: .bottom, spacing: 0) { StatusBanner() }
                }
        }
    }
}
