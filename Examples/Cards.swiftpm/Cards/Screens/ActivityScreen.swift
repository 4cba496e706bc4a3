import PigeonUI
import SwiftUI

/// Shows the running fetches, and the log of events with their causes.
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
