import PigeonUI
import SwiftUI

/// The user's cards.
struct CardsScreen: View {
    @UseQuery(.cards) private var cards: Snapshot<[Card]>

    var body: some View {
        StateView(cards, retry: $cards.retry) { cards in
            List(cards) { card in
                CardRow(card: card) { Text(card.name) }
            }
        }
        .refreshable($cards)
        .navigationTitle("Cards")
    }
}
