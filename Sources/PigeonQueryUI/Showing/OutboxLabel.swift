#if canImport(SwiftUI)
    internal import PigeonBase
    internal import PigeonCore
    public import SwiftUI

    /// Shows how many changes wait to be sent, or were refused: "3 changes are waiting". Shows nothing if there are none.
    ///
    /// ```swift
    /// NotesList().safeAreaInset(edge: .bottom) { OutboxLabel() }
    /// ```
    ///
    /// The changes are those of the outbox of the environment's client (see `View.queryClient(_:)`). Those that
    /// were refused are shown first, because the user may have to decide. See ``UseOutbox`` for a view of your own.
    public struct OutboxLabel: View {
        @UseOutbox private var outbox: OutboxSnapshot

        /// Creates the label.
        public init() {}

        /// The label.
        public var body: some View {
            if !outbox.setAside.isEmpty {
                Label(
                    UserText.text(.changeNotMade, .changesNotMade, of: outbox.setAside.count),
                    systemImage: "exclamationmark.triangle")
            } else if !outbox.waiting.isEmpty {
                Label(
                    UserText.text(.changeWaiting, .changesWaiting, of: outbox.waiting.count),
                    systemImage: "arrow.triangle.2.circlepath")
            }
        }
    }
#endif
