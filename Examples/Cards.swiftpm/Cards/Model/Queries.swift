import Foundation
import PigeonUI

// Each key, with its fetcher and options. All are on disk, so that the app starts without a network. All but the first have a
// tag, by which the settings clear them.

extension QueryDefinition<User> {
    /// The person who is signed in. Nothing fetches it: signing in writes it, and signing out clears it.
    static var me: Self { .value("me").staleAfter(.never).persisted() }
}

extension QueryDefinition<Pages<[Post], Int>> {
    static var feed: Self {
        .pages("feed", first: 1) { page, context in
            try await context[(any CardsAPI).self].feed(page: page)
        } next: { last, page in
            last.isEmpty ? nil : page + 1
        }
        .staleAfter(.minutes(1)).persisted().tagged("content")
    }
}

extension QueryDefinition<Card> {
    static func card(_ id: Card.ID) -> Self {
        QueryDefinition("cards", id) { try await $0[(any CardsAPI).self].card(id) }
            .staleAfter(.minutes(5)).persisted().tagged("content")
    }
}

extension QueryDefinition<[Card]> {
    static var cards: Self {
        QueryDefinition("cards") { try await $0[(any CardsAPI).self].cards() }
            .staleAfter(.minutes(5)).persisted().tagged("content")
    }

    /// The cards with a text in their names. While the user types, nothing is sent, and the last results stay.
    static func search(_ text: String) -> Self {
        QueryDefinition("search", text) { try await $0[(any CardsAPI).self].cards(named: text) }
            .debounced(by: .milliseconds(300)).placeholder { $0?.isEmpty == true ? nil : $0 }
            .staleAfter(.minutes(5)).whenAbandoned(.cancel).persisted().tagged("content")
    }
}

extension QueryDefinition<Data> {
    static func picture(of id: Card.ID) -> Self {
        QueryDefinition("pictures", id) { try await $0[(any CardsAPI).self].picture(of: id) }
            .staleAfter(.hours(1)).whenAbandoned(.cancel).persisted().tagged("content")
    }
}
