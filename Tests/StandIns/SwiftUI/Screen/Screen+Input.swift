extension Screen {
    /// Taps the first button, link, tab or row of a picker with this label, or which a screen reader reads so, or else what
    /// has a tap gesture around it; false if there is none, or if it is disabled. While an alert or a sheet is shown, what is
    /// behind it is out of reach.
    @discardableResult
    package func tap(_ label: String) -> Bool {
        let tapped = reachable.compactMap { node in (node.view as? any Tapped).map { (node, $0) } }
        guard
            let (node, view) = tapped.first(where: {
                $1.label($0) == label || $0.goes(by: label) || $0.spoken == [label]
            }),
            node.surroundings.environment.isEnabled
        else { return false }
        view.tapped(node)
        update()
        return true
    }

    /// Types into the first field with this label, in the place of what is there; false if there is none.
    @discardableResult
    package func type(_ text: String, into label: String) -> Bool {
        let fields = reachable.compactMap { node in (node.view as? any Typed).map { (node, $0) } }
        guard
            let (node, view) = fields.first(where: { $1.name($0) == label || $0.goes(by: label) }),
            node.surroundings.environment.isEnabled
        else { return false }
        view.typed(text, node)
        update()
        return true
    }

    /// Ends typing into the first field with this label.
    @discardableResult
    package func submit(_ label: String) -> Bool {
        let fields = reachable.compactMap { node in (node.view as? any Typed).map { (node, $0) } }
        guard let (node, _) = fields.first(where: { $1.name($0) == label || $0.goes(by: label) }) else { return false }
        node.surroundings.submit?()
        update()
        return true
    }

    /// Turns the first switch with this label on or off; false if there is none.
    @discardableResult
    package func toggle(_ label: String) -> Bool {
        let switches = reachable.compactMap { node in (node.view as? any Toggled).map { (node, $0) } }
        guard
            let (node, view) = switches.first(where: { node, _ in node.line(.label) == label || node.goes(by: label) }),
            node.surroundings.environment.isEnabled
        else { return false }
        view.toggled(node)
        update()
        return true
    }

    /// Goes back one page in the innermost container that has one, or closes the sheet; false if neither is there.
    @discardableResult
    package func goBack() -> Bool {
        for node in nodes.reversed() where (node.view as? any Left)?.leave(node) == true {
            update()
            return true
        }
        return false
    }

    private var reachable: [Node] {
        let inFront = nodes.flatMap { $0.children(.sheet) + $0.children(.alert) }.last
        return inFront?.shown ?? nodes
    }
}

extension Node {
    /// True if the view, or one that it consists of, was given this name.
    fileprivate func goes(by name: String) -> Bool {
        let around = ancestors.prefix { $0.isStructure }
        return (around + shown).contains { ($0.view as? any HasName)?.name == name }
    }

    /// What a view shows above it.
    func presented(_ role: Plan.Role, _ title: String) -> [String] {
        children(role).isEmpty ? [] : [title] + lines(role).indented
    }
}
