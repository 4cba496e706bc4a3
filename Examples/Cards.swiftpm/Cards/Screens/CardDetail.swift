import PigeonUI
import SwiftUI

/// One card.
struct CardDetail: View {
    let id: Card.ID
    let api: ShopAPI

    var body: some View {
        QueryView(api.card(id)) { card in
            VStack(spacing: 8) {
                Text(card.name).font(.title)
                Text(card.text)
            }
        }
        .navigationTitle("Card \(id)")
    }
}
