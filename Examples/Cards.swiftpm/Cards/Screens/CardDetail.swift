import PigeonUI
import SwiftUI

/// One card, which can be renamed, also without a network.
struct CardDetail: View {
    @UseQuery private var card: Snapshot<Card>
    @UseMutation(RenameCard.self) private var rename: QueryState<Card>
    @State private var isRenaming = false

    /// - Parameter known: The card as the list before has it: shown at once, and loaded again.
    init(_ known: Card) {
        _card = UseQuery(.card(known.id).initial(known, age: .hours(1)))
    }

    var body: some View {
        StateView(card, retry: $card.retry) { card in
            ScrollView {
                VStack(alignment: .leading, spacing: 12) {
                    RemoteImage(
                        .picture(of: card.id), contentMode: .fill, label: Text("Picture of \(card.name)")
                    )
                    .aspectRatio(4 / 3, contentMode: .fit)
                    Text(card.name).font(.title)
                    Text(card.text)
                    outcome
                }
                .padding()
                .frame(maxWidth: .infinity, alignment: .leading)
            }
            .toolbar { Button("Rename") { isRenaming = true } }
            .sheet(isPresented: $isRenaming) {
                RenameSheet(card: card) { $rename.execute(with: RenameCard(id: card.id, name: $0)) }
            }
        }
        .refreshable($card)
        .navigationTitle("Card")
    }

    /// The outcome of the newest change.
    @ViewBuilder private var outcome: some View {
        if let error = rename.error {
            Label(error.userMessage, systemImage: "exclamationmark.triangle").foregroundStyle(.red)
        } else if card.isOptimistic {
            Label("Not yet saved", systemImage: "clock").foregroundStyle(.secondary)
        }
    }
}

private struct RenameSheet: View {
    let card: Card
    let save: (String) -> Void
    @State private var name: String
    @Environment(\.dismiss) private var dismiss

    init(card: Card, save: @escaping (String) -> Void) {
        self.card = card
        self.save = save
        _name = State(initialValue: card.name)
    }

    var body: some View {
        NavigationStack {
            Form { TextField("Name", text: $name) }
                .navigationTitle("Rename")
                .toolbar {
                    ToolbarItem(placement: .cancellationAction) { Button("Cancel") { dismiss() } }
                    ToolbarItem(placement: .confirmationAction) {
                        Button("Save", action: finish).disabled(name.isEmpty || name == card.name)
                    }
                }
        }
    }

    private func finish() {
        save(name)
        dismiss()
    }
}
