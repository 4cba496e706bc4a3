import PigeonUI
import SwiftUI

/// A card's picture in a row, which grows with the text. The name beside it says what it shows.
struct CardPicture: View {
    let card: Card
    @ScaledMetric private var side: CGFloat = 56

    var body: some View {
        RemoteImage(.picture(of: card.id), contentMode: .fill)
            .frame(width: side, height: side)
            .clipShape(RoundedRectangle(cornerRadius: 8))
    }
}

/// A row that opens a card.
struct CardLink: View {
    let card: Card

    var body: some View {
        NavigationLink(value: card) {
            HStack(spacing: 12) {
                CardPicture(card: card)
                Text(card.name)
            }
        }
    }
}
