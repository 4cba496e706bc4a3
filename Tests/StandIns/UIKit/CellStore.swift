/// The cells of a table or a collection: those on screen, and those that wait to be used again.
@MainActor
final class CellStore<Cell: UIView> {
    /// On screen.
    var cells: [IndexPath: Cell] = [:]
    /// Taken by the next dequeue of its place, as the real ones do while a cell is reconfigured.
    var reconfigured: [IndexPath: Cell] = [:]
    private var waiting: [String: [Cell]] = [:]

    func reuse(_ identifier: String) -> Cell? {
        waiting[identifier]?.popLast()
    }

    func keep(_ cell: Cell, _ identifier: String?) {
        cell.removeFromSuperview()
        guard let identifier else { return }
        waiting[identifier, default: []].append(cell)
    }
}

/// What of a list is on screen: rows are counted over all sections.
struct Viewport {
    var first = 0
    var count = 12

    func indexPaths(of sections: [Int]) -> [IndexPath] {
        let all = sections.indices.flatMap { section in
            (0..<sections[section]).map { IndexPath(row: $0, section: section) }
        }
        return Array(all.dropFirst(first).prefix(count))
    }
}
