package import SwiftUI

#if canImport(UIKit)
    internal import UIKit
#else
    internal import AppKit
#endif

/// A view with a text that its host reads, or an action that its host runs.
package struct Probe: View {
    private let text: String
    private let action: (@MainActor () -> Void)?
    @Environment(\.refresh) private var refresh

    package init(_ text: String, action: (@MainActor () -> Void)? = nil) {
        self.text = text
        self.action = action
    }

    package var body: some View {
        Marking(mark: ProbeMark(text: text, action: action, refresh: refresh))
            .frame(width: 20, height: 10)
    }
}

/// What a probe tells its host.
struct ProbeMark {
    var text = ""
    var action: (@MainActor () -> Void)?
    var refresh: RefreshAction?
}

/// Puts the mark into the window. What SwiftUI has there of its own cannot be read.
private struct Marking {
    let mark: ProbeMark
}

#if canImport(UIKit)
    extension Marking: UIViewRepresentable {
        func makeUIView(context: Context) -> MarkView { MarkView() }
        func updateUIView(_ view: MarkView, context: Context) { view.mark = mark }
    }
#else
    extension Marking: NSViewRepresentable {
        func makeNSView(context: Context) -> MarkView { MarkView() }
        func updateNSView(_ view: MarkView, context: Context) { view.mark = mark }
    }
#endif

final class MarkView: NativeView {
    var mark = ProbeMark()

    /// How far the view is below the upper edge of another.
    func top(in root: NativeView) -> CGFloat { convert(bounds, to: root).minY }
}

extension NativeView {
    /// The marks in this view that are not hidden.
    var markViews: [MarkView] {
        guard !isHidden else { return [] }
        return ((self as? MarkView).map { [$0] } ?? []) + subviews.flatMap(\.markViews)
    }
}
