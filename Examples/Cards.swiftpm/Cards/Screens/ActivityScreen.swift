import PigeonUI
import SwiftUI

/// What the client does, what it did, and why.
struct ActivityScreen: View {
    @ObservedObject var notes: Notes
    @UseActivity private var activity: ClientActivity

    var body: some View {
        List {
            Section("Now") {
                LabeledContent("Loading", value: "\(activity.fetchCount)")
                LabeledContent("Changing", value: "\(activity.mutationCount)")
            }
            Section("Before") {
                ForEach(Array(notes.lines.enumerated()), id: \.offset) { _, line in
                    Text(line).font(.footnote)
                }
            }
        }
        .navigationTitle("What happened")
    }
}
