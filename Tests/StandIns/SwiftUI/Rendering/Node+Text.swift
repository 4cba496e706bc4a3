extension Node {
    /// The view as text, a block for each view that a stack would lay out.
    var blocks: [Block] {
        guard let view, !isWaiting else { return [] }
        return (view as? any Drawn)?.blocks(of: self) ?? blocks(.content)
    }

    /// The children of a role as text.
    func blocks(_ role: Plan.Role) -> [Block] { children(role).flatMap(\.blocks) }

    /// The children of a role, line by line.
    func lines(_ role: Plan.Role) -> [String] { blocks(role).flatMap { $0 } }

    /// The children of a role in one line.
    func line(_ role: Plan.Role) -> String { lines(role).joined(separator: " ") }

    /// The children of a role as one block, if they show anything.
    func oneBlock(_ role: Plan.Role) -> [Block] {
        let lines = lines(role)
        return lines.isEmpty ? [] : [lines]
    }

    /// The children of a role, those of one line beside each other.
    func besideEachOther(_ role: Plan.Role) -> [Block] {
        var lines: [String] = []
        var joins = false
        for block in blocks(role) {
            if block.count == 1, joins, let last = lines.popLast() {
                lines.append("\(last)  \(block[0])")
            } else {
                lines += block
            }
            joins = block.count == 1
        }
        return lines.isEmpty ? [] : [lines]
    }

    /// All nodes that are on the screen, in the order of the text.
    var shown: [Node] {
        guard isShown else { return [] }
        return [self] + children.flatMap(\.shown)
    }

    /// The nodes above, the nearest first.
    var ancestors: [Node] { parent.map { [$0] + $0.ancestors } ?? [] }
}

extension [String] {
    /// The lines, one level deeper.
    var indented: [String] { map { "  \($0)" } }
}
