/// A line of text that someone edits.
package struct TextField: Hashable, Sendable {
    package private(set) var text: String
    /// The characters before the cursor.
    private var position: Int

    package init(_ text: String = "") {
        self.text = text.withoutControls
        position = self.text.count
    }

    /// Does what a key means to the text. Returns whether it means anything.
    package mutating func handle(_ key: Key) -> Bool {
        switch key {
        case .character(let character): insert(String(character))
        case .paste(let pasted): insert(pasted)
        case .backspace: remove(position - 1)
        case .delete: remove(position)
        case .left: position = max(position - 1, 0)
        case .right: position = min(position + 1, text.count)
        case .home, .control("a"): position = 0
        case .end, .control("e"): position = text.count
        case .control("u"): text.removeFirst(position); position = 0
        case .control("k"): text.removeLast(text.count - position)
        case .control("w"): removeWord()
        default: return false
        }
        return true
    }

    /// Returns the part of the text that shows in some columns, and the column of the cursor within it.
    package func visible(columns: Int) -> (text: String, cursor: Int) {
        var start = text.startIndex
        let cursor = text.index(start, offsetBy: position)
        while start < cursor, text[start..<cursor].columns >= columns { start = text.index(after: start) }
        var end = start
        while end < text.endIndex, text[start...end].columns <= columns { end = text.index(after: end) }
        return (String(text[start..<end]), text[start..<cursor].columns)
    }

    private mutating func insert(_ inserted: String) {
        let after = text.count - position
        text.insert(contentsOf: inserted.withoutControls, at: text.index(text.startIndex, offsetBy: position))
        // Counted from the end: a mark may have become one with the character before it.
        position = max(text.count - after, 0)
    }

    private mutating func remove(_ position: Int) {
        guard (0..<text.count).contains(position) else { return }
        text.remove(at: text.index(text.startIndex, offsetBy: position))
        self.position = min(position, text.count)
    }

    private mutating func removeWord() {
        while position > 0, text.prefix(position).last == " " { remove(position - 1) }
        while position > 0, text.prefix(position).last != " " { remove(position - 1) }
    }
}
