/// A view that the screen itself knows: it has no body, but says what is below it and how it looks as text.
@MainActor
protocol Drawn: View where Body == Never {
    /// Whether the view is only structure: a list shows each view below it as a row of its own.
    var isStructure: Bool { get }
    /// Says which views are below this one.
    func plan(_ plan: inout Plan, in node: Node)
    /// The view as text, a block for each view that a stack would lay out.
    func blocks(of node: Node) -> [Block]
}

/// The lines of one view.
typealias Block = [String]

extension Drawn {
    var isStructure: Bool { true }

    func blocks(of node: Node) -> [Block] { node.blocks(.content) }
}
