import PigeonCore
import PigeonUI
import SwiftUI

private struct Note: Codable, Sendable {
    var id: Int
    var title: String
}

private struct RenameNote: DurableMutation {
    var id: Int
    var title: String
    func run(_ context: MutationContext) async throws -> Note { Note(id: id, title: title) }
}

private struct NotesList: View {
    @UseMutation(durably: RenameNote.self) var rename: QueryState<Note>

    var body: some View { Text("\(rename)") }
}

private struct NoteEditor: View {
    @UseMutation(submitting: RenameNote.self) var rename: QueryState<Submission<Note>>

    var body: some View { Text("\(rename)") }
}

struct UnsentChanges: View {
    @UseOutbox var outbox: OutboxSnapshot

    var body: some View {
        List(outbox.setAside) { item in
            Text(item.name)
                .swipeActions { Button("Discard", role: .destructive) { $outbox.discard(item.id) } }
        }
    }
}

private struct NotesScreen: View {
    var body: some View {
        NotesList().safeAreaInset(edge: .bottom) { OutboxLabel() }
    }
}
