import Foundation
import PigeonUI
import SwiftUI

/// A card as it is shown, loaded, missing and out of date: nothing is fetched for it.
struct CardDetailPreviews: PreviewProvider {
    static var previews: some View {
        preview { _ in }
            .previewDisplayName("Shown")
        preview { $0.fail(.card(1), with: URLError(.timedOut)) }
            .previewDisplayName("Not refreshed")
        preview { _ in }
            .environment(\.dynamicTypeSize, .accessibility5)
            .previewDisplayName("Large text")
        preview { _ in }
            .preferredColorScheme(.dark)
            .previewDisplayName("Dark")
    }

    private static func preview(_ prepare: (PreviewData) -> Void) -> some View {
        NavigationStack { CardDetail(.sample) }
            .environment(\.queryClient, .preview(prepare))
    }
}

/// The feed in each of its states.
struct FeedPreviews: PreviewProvider {
    static var previews: some View {
        preview { _ in }
            .previewDisplayName("Loading")
        preview { $0.show(pages(next: 2), for: .feed) }
            .previewDisplayName("Shown")
        preview { $0.show(pages(next: nil), for: .feed) }
            .previewDisplayName("At its end")
        preview { $0.fail(.feed, with: URLError(.timedOut)) }
            .previewDisplayName("Failed")
    }

    private static func pages(next: Int?) -> Pages<[Post], Int> {
        let post = Post(id: 1, author: "Bea", text: "Who trades this one?", card: .sample)
        return Pages([.init(id: 1, page: [post])], nextID: next)
    }

    private static func preview(_ prepare: (PreviewData) -> Void) -> some View {
        NavigationStack { FeedScreen() }
            .environment(\.queryClient, .preview(prepare))
    }
}

extension Card {
    fileprivate static let sample = Card(id: 1, name: "Frost Otter", text: "Worth 3 points.")
}
