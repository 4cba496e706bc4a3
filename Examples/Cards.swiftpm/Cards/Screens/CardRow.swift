import PigeonUI
import SwiftUI

/// A row that opens a card: its picture, which grows with the text, and what the list says about it.
struct CardRow<Content: View>: View {
    let card: Card
    @ViewBuilder let content: Content
    @ScaledMetric private var side: CGFloat = 56
    @Environment(\.dynamicTypeSize) private var typeSize

    var body: some View {
        // Beside a picture, a large text would have no room.
        let layout =
            typeSize.isAccessibilitySize
            ? AnyLayout(VStackLayout(alignment: .leading)) : AnyLayout(HStackLayout(spacing: 12))
        NavigationLink(value: card) {
            layout {
                RemoteImage(.picture(of: card.id), contentMode: .fill)
                    .frame(width: side, height: side)
                    .clipShape(RoundedRectangle(cornerRadius: 8))
                content
            }
            .accessibilityElement(children: .combine)
        }
    }
}
