import PigeonUI
import SwiftUI

/// Finds cards by their names as the user types.
struct SearchScreen: View {
    @State private var text = ""

    var body: some View {
        SearchResults(text: text.trimmingCharacters(in: .whitespaces))
            .searchable(text: $text, prompt: "Name of a card")
            .navigationTitle("Search")
    }
}

private struct SearchResults: View {
    @UseQuery private var found: Snapshot<[Card]>
    private let text: String

    init(text: String) {
        self.text = text
        _found = UseQuery(text.isEmpty ? nil : .search(text))
    }

    var body: some View {
        StateView(found, retry: $found.retry) { cards in
            List {
                if found.isPlaceholder { ProgressView("Searching for “\(text)”") }
                ForEach(cards) { card in
                    CardRow(card: card) { Text(card.name) }
                        .opacity(found.isPlaceholder ? 0.5 : 1)
                }
            }
        } empty: {
            hint("No card has “\(text)” in its name.")
        } idle: {
            hint("Type a part of a name, such as “otter”.")
        }
    }

    private func hint(_ text: LocalizedStringKey) -> some View {
        Text(text)
            .foregroundStyle(.secondary)
            .multilineTextAlignment(.center)
            .padding()
            .frame(maxWidth: .infinity, maxHeight: .infinity)
    }
}
