import Foundation
import PigeonUI
import SwiftUI

/// A card as it is shown, loaded, missing and out of date: nothing is fetched for it.
struct CardDetailPreviews: PreviewProvider {
    static var previews: some View {
        preview { _ in }
            .previewDisplayName("Loading")
        preview { $0.show(card, for: api.card("1")) }
            .previewDisplayName("Shown")
        preview { $0.fail(api.card("1"), with: URLError(.timedOut)) }
            .previewDisplayName("Failed")
        preview {
            $0.show(card, for: api.card("1"))
            $0.fail(api.card("1"), with: URLError(.timedOut))
        }
        .previewDisplayName("Not refreshed")
    }

    private static let api = Shop(transport: SampleServer().transport, cache: InMemoryQueryCache()).api
    private static let card = Card(id: "1", name: "Frost Otter", text: "Worth 3 points.")

    private static func preview(_ prepare: (PreviewData) -> Void) -> some View {
        NavigationStack { CardDetail(id: "1", api: api) }
            .environment(\.queryClient, .preview(prepare))
    }
}
