internal import Foundation
internal import OSLog
package import SwiftUI

#if canImport(UIKit)
    internal import UIKit
#else
    internal import AppKit
#endif

/// Shows views in a window, and lets a test read and touch the probes among them. With stand-ins, the type of the
/// same name in the folder `StandIn` does so on their screen.
@MainActor
package final class ViewHost {
    private let show: (_ isOpen: Bool) -> Void
    private let layOut: () -> NativeView
    private let end: () -> Void
    private let opened = Date()
    private var closed: Date?

    /// Shows views, one below the other.
    package init<Content: View>(@ViewBuilder _ content: @escaping @MainActor () -> Content) {
        let window = HostWindow(HostedView(content: content()))
        show = { window.root = HostedView(content: $0 ? content() : nil) }
        layOut = {
            window.layOut()
            return window.view
        }
        end = window.close
    }

    /// The texts of the probes without an action, from top to bottom.
    package var shown: [String] { marks.filter { $0.action == nil }.map(\.text) }

    /// Makes the views anew, as when what is around them changed.
    package func rebuild() {
        show(true)
        _ = layOut()
    }

    /// Takes all views away.
    package func close() {
        // A controller may live on for a while, and its views with it, so they go before it does.
        show(false)
        _ = layOut()
        end()
        closed = Date()
    }

    /// Runs the action of the first probe with this text; false if there is none.
    @discardableResult
    package func tap(_ text: String) -> Bool {
        guard let action = marks.first(where: { $0.text == text && $0.action != nil })?.action else { return false }
        action()
        _ = layOut()
        return true
    }

    /// Pulls the views down to refresh them, and waits until they are; false if they cannot be refreshed. A probe must
    /// be among them, outside of lists.
    package func pullToRefresh() async -> Bool {
        // No finger can pull, but a view below `refreshable` is given what a list would do.
        guard let refresh = marks.lazy.compactMap(\.refresh).first else { return false }
        await refresh()
        return true
    }

    /// How often SwiftUI warned in the log of this process, until the host was closed, that a model changed during an
    /// update: "Publishing changes from within view updates is not allowed".
    package var untimelyChanges: Int {
        guard let store = try? OSLogStore(scope: .currentProcessIdentifier),
            let entries = try? store.getEntries(at: store.position(date: opened))
        else { return 0 }
        let time = opened...(closed ?? Date())
        // On iOS, entries before the position come as well.
        return entries.filter { time.contains($0.date) && $0.composedMessage.contains("view update") }.count
    }

    /// True if `untimelyChanges` is known to count. Whether a test may read the log of its process was never tried.
    package static let seesUntimelyChanges = false

    private var marks: [ProbeMark] {
        let root = layOut()
        return root.markViews.sorted { $0.top(in: root) < $1.top(in: root) }.map(\.mark)
    }
}

/// What is in the window: the views, or none.
struct HostedView<Content: View>: View {
    let content: Content?

    var body: some View {
        VStack(spacing: 0) { content }
            .frame(maxWidth: .infinity, maxHeight: .infinity)
    }
}
