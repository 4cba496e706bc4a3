/// A view that can be tapped on.
struct Tappable<Content: View>: Drawn, Tapped {
    let content: Content
    let action: () -> Void

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }

    func label(_ node: Node) -> String { node.line(.content) }

    func tapped(_ node: Node) { action() }
}

/// A view with actions that a swipe shows. They are not in the text, but can be tapped.
struct Swiped<Content: View, Actions: View>: Drawn {
    let content: Content
    let actions: Actions

    func plan(_ plan: inout Plan, in node: Node) {
        plan.add(content)
        plan.add(actions, .actions, adjust: { $0.isLazy = false })
    }
}

/// A view that hears when a text was entered.
struct Submitting<Content: View>: Drawn {
    let content: Content
    let action: () -> Void

    func plan(_ plan: inout Plan, in node: Node) {
        plan.add(content) { surroundings in
            let outer = surroundings.submit
            surroundings.submit = {
                action()
                outer?()
            }
        }
    }
}

/// Stands for `SwiftUI.SubmitTriggers`.
public struct SubmitTriggers: OptionSet, Sendable {
    /// Stands for `SubmitTriggers.rawValue`.
    public let rawValue: Int
    /// Stands for `SubmitTriggers.init(rawValue:)`.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Stands for `SubmitTriggers.text`.
    public static let text = SubmitTriggers(rawValue: 1)
    /// Stands for `SubmitTriggers.search`.
    public static let search = SubmitTriggers(rawValue: 2)
}

extension View {
    /// Stands for `View.onTapGesture(count:perform:)`.
    public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View {
        Tappable(content: self, action: action)
    }

    /// Stands for `View.swipeActions(edge:allowsFullSwipe:content:)`.
    public func swipeActions<T: View>(
        edge: HorizontalEdge = .trailing, allowsFullSwipe: Bool = true, @ViewBuilder content: () -> T
    ) -> some View {
        Swiped(content: self, actions: content())
    }

    /// Stands for `View.onSubmit(of:_:)`.
    public func onSubmit(of triggers: SubmitTriggers = .text, _ action: @escaping () -> Void) -> some View {
        Submitting(content: self, action: action)
    }
}
