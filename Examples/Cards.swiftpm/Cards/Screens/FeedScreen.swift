import PigeonUI
import SwiftUI

/// Posts with pictures, page by page to the end.
struct FeedScreen: View {
    @UseQuery(.feed) private var feed: Snapshot<Pages<[Post], Int>>

    var body: some View {
        StateView(feed, retry: $feed.retry) { pages in
            List {
                ForEach(Array(pages.items)) { post in
                    CardRow(card: post.card) {
                        VStack(alignment: .leading) {
                            Text(post.author).font(.headline)
                            Text(post.text)
                            Text(post.card.name).font(.footnote).foregroundStyle(.secondary)
                        }
                    }
                    .infiniteScroll($feed, at: post)
                }
                if pages.hasNext {
                    NextPageView($feed)
                } else {
                    Text("You have seen everything.").foregroundStyle(.secondary)
                }
            }
        }
        .refreshable($feed)
        .navigationTitle("Feed")
    }
}
