/// A view that can be tapped.
@MainActor
protocol Tapped {
    func tapped(_ node: Node)
    /// What is written on it.
    func label(_ node: Node) -> String
}

/// A view with a text to type.
@MainActor
protocol Typed {
    func typed(_ text: String, _ node: Node)
    /// The name of the field.
    func name(_ node: Node) -> String
}

/// A view with a switch.
@MainActor
protocol Toggled {
    func toggled(_ node: Node)
}

/// A view that can be pulled down to refresh what it shows.
@MainActor
protocol Refreshed {}

/// A view from which one can go back.
@MainActor
protocol Left {
    /// Goes back one step, if there is one.
    func leave(_ node: Node) -> Bool
}
