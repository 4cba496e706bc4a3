/// A view whose identity is a value.
struct Identified<Content: View, ID: Hashable>: Drawn {
    let content: Content
    let id: ID

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content, id: AnyHashable(id)) }
}

/// A view that stands for a value of a choice.
struct Tagged<Content: View, Value: Hashable>: Drawn, Tapped {
    let content: Content
    let value: Value

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content) }

    func blocks(of node: Node) -> [Block] {
        guard let choice = node.surroundings.choice else { return node.blocks(.content) }
        let mark = choice.selected == AnyHashable(value) ? "(x)" : "( )"
        return [["\(mark) \(node.line(.content))"]]
    }

    func label(_ node: Node) -> String { node.surroundings.choice == nil ? "" : node.line(.content) }

    func tapped(_ node: Node) { node.surroundings.choice?.select(AnyHashable(value)) }
}

extension View {
    /// Stands for `View.id(_:)`.
    public func id<ID: Hashable>(_ id: ID) -> some View { Identified(content: self, id: id) }

    /// Stands for `View.tag(_:)`.
    public func tag<V: Hashable>(_ tag: V) -> some View { Tagged(content: self, value: tag) }
}
