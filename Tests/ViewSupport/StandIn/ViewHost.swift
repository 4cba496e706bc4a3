package import SwiftUI

/// Shows views on the stand-ins' screen, and lets a test read and touch the probes among them. On Apple's systems, the
/// type of the same name in the folder `Apple` does so in a window, so that a test needs no other source.
@MainActor
package final class ViewHost {
    private let screen: Screen

    /// Shows views, one below the other.
    package init<Content: View>(@ViewBuilder _ content: @escaping @MainActor () -> Content) {
        screen = Screen { content() }
    }

    /// The texts of the probes without an action, from top to bottom.
    package var shown: [String] {
        screen.update()
        return screen.text.split(separator: "\n").compactMap { Probe.text(in: $0) }
    }

    /// Makes the views anew, as when what is around them changed.
    package func rebuild() {
        screen.rebuild()
    }

    /// Takes all views away.
    package func close() {
        screen.close()
    }

    /// Runs the action of the first probe with this text; false if there is none.
    @discardableResult
    package func tap(_ text: String) -> Bool {
        screen.tap(Probe.marked(text))
    }

    /// Pulls the views down to refresh them, and waits until they are; false if they cannot be refreshed. A list must
    /// be among them.
    package func pullToRefresh() async -> Bool {
        await screen.pullToRefresh()
    }

    /// How often an object said during an update, until the host was closed, that it changes.
    package var untimelyChanges: Int { screen.untimelyChanges }

    /// True if `untimelyChanges` is known to count.
    package static let seesUntimelyChanges = true
}

/// A view with a text that its host reads, or an action that its host runs.
package struct Probe: View {
    private let text: String
    private let action: (@MainActor () -> Void)?

    package init(_ text: String, action: (@MainActor () -> Void)? = nil) {
        self.text = text
        self.action = action
    }

    package var body: some View {
        if let action {
            Button(Self.marked(text), action: action)
        } else {
            Text(verbatim: Self.marked(text))
        }
    }

    /// Tells the texts of probes from those of other views.
    fileprivate static func marked(_ text: String) -> String { "‹\(text)›" }

    fileprivate static func text(in line: Substring) -> String? {
        let line = line.drop { $0 == " " }
        guard line.hasPrefix("‹"), line.hasSuffix("›") else { return nil }
        return String(line.dropFirst().dropLast())
    }
}
