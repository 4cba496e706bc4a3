/// Stands for `SwiftUI.TabView`.
public struct TabView<SelectionValue: Hashable, Content: View>: View {
    /// Stands for `TabView.Body`.
    public typealias Body = Never
    private let selection: Binding<SelectionValue>?
    private let content: Content

    /// Stands for `TabView.init(selection:content:)`.
    public init(selection: Binding<SelectionValue>?, @ViewBuilder content: () -> Content) {
        self.selection = selection
        self.content = content()
    }
}

extension TabView where SelectionValue == Int {
    /// Stands for `TabView.init(content:)`.
    public init(@ViewBuilder content: () -> Content) {
        self.init(selection: nil, content: content)
    }
}

extension TabView: Drawn {
    var isStructure: Bool { false }

    func plan(_ plan: inout Plan, in node: Node) {
        let tabs = node.memory as? Tabs ?? Tabs()
        node.memory = tabs
        tabs.selection = selection.map { AnyHashable($0.wrappedValue) }
        tabs.select = { value in
            if let value = value?.base as? SelectionValue { selection?.wrappedValue = value }
        }
        plan.add(content, adjust: { $0.tabs = tabs })
    }

    func blocks(of node: Node) -> [Block] {
        guard let tabs = node.memory as? Tabs else { return [] }
        let bar = tabs.nodes.map { tabs.isSelected($0) ? "{\(title(of: $0))}" : title(of: $0) }
        return [node.lines(.content) + [bar.joined(separator: "  ")]]
    }

    private func title(of tab: Node) -> String {
        let count = (tab.parent?.view as? any HasBadge)?.count ?? 0
        return tab.line(.label) + (count > 0 ? " (\(count))" : "")
    }
}

/// The tabs of one view.
@MainActor
final class Tabs {
    private struct Entry {
        weak var node: Node?
        var tag: AnyHashable?
    }

    private var entries: [Entry] = []
    private var selected: ObjectIdentifier?
    /// The tag that the app selected.
    var selection: AnyHashable?
    var select: @MainActor (AnyHashable?) -> Void = { _ in }

    var nodes: [Node] { entries.compactMap(\.node) }

    func add(_ node: Node, tag: AnyHashable?) {
        if let index = entries.firstIndex(where: { $0.node === node }) {
            entries[index].tag = tag
        } else {
            entries.append(Entry(node: node, tag: tag))
        }
    }

    func isSelected(_ node: Node) -> Bool {
        if let selection, let tag = tag(of: node) { return selection == tag }
        return (selected ?? nodes.first?.handle.identifier) == node.handle.identifier
    }

    func choose(_ node: Node) {
        selected = node.handle.identifier
        select(tag(of: node))
        for tab in nodes { tab.handle.invalidate() }
    }

    private func tag(of node: Node) -> AnyHashable? { entries.first { $0.node === node }?.tag }
}

/// One tab.
struct Tab<Content: View, Label: View>: Drawn, Tapped {
    let content: Content
    let label: Label

    func plan(_ plan: inout Plan, in node: Node) {
        let tag = (node.parent?.view as? any HasTag)?.tag ?? (content as? any HasTag)?.tag
        node.surroundings.tabs?.add(node, tag: tag)
        plan.add(label, .label)
        plan.add(content, isCovered: node.surroundings.tabs?.isSelected(node) == false)
    }

    func label(_ node: Node) -> String { node.line(.label) }

    func tapped(_ node: Node) { node.surroundings.tabs?.choose(node) }
}

/// Tells the tag of a view without its type.
@MainActor
protocol HasTag {
    var tag: AnyHashable { get }
}

extension Tagged: HasTag {
    var tag: AnyHashable { AnyHashable(value) }
}

extension View {
    /// Stands for `View.tabItem(_:)`.
    public func tabItem<V: View>(@ViewBuilder _ label: () -> V) -> some View { Tab(content: self, label: label()) }
}
