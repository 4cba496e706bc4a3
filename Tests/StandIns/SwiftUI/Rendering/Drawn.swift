/// A view that the screen itself knows: it has no body, but says what is below it and how it looks as text.
@MainActor
protocol Drawn: View, _BuiltIn where Body == Never {
    /// True if the view is only structure: a list shows each view below it as a row of its own.
    var isStructure: Bool { get }
    /// Says which views are below this one.
    func plan(_ plan: inout Plan, in node: Node)
    /// The view as text, a block for each view that a stack would lay out.
    func blocks(of node: Node) -> [Block]
    /// What a screen reader reads of the view, one text for each element.
    func spoken(_ node: Node) -> [String]
}

/// The lines of one view.
typealias Block = [String]

extension Drawn {
    var isStructure: Bool { true }

    func blocks(of node: Node) -> [Block] { node.blocks(.content) }

    /// What is below the view, or its text if there is nothing below it.
    func spoken(_ node: Node) -> [String] {
        let inner = node.spokenChildren
        return inner.isEmpty && node.children.isEmpty ? blocks(of: node).flatMap { $0 } : inner
    }
}
