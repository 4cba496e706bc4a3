import Bookshelf
import PigeonCore

/// Prints the books as a screen would show them.
struct Screen {
    private let observer: QueryObserver<[Book]>
    private var snapshots: QueryObserver<[Book]>.Iterator
    private let tell: (String) -> Void

    init(_ bookshelf: Bookshelf, shelf: String, tell: @escaping (String) -> Void) {
        observer = bookshelf.client.observe(bookshelf.books(on: shelf))
        snapshots = observer.makeAsyncIterator()
        self.tell = tell
    }

    /// Waits for a snapshot that satisfies the condition, and prints it.
    mutating func show(withAge: Bool = false, _ condition: (Snapshot<[Book]>) -> Bool) async {
        while let snapshot = await snapshots.next() {
            guard condition(snapshot) else { continue }
            return tell("  screen   " + snapshot.line + (withAge ? snapshot.ageInWords : ""))
        }
    }
}

extension Snapshot<[Book]> {
    /// The titles, in order.
    var titles: [String] { value?.map(\.title) ?? [] }

    fileprivate var line: String {
        guard let value else { return "empty" }
        return value.line + (isOptimistic ? " (not confirmed)" : "")
    }

    fileprivate var ageInWords: String {
        guard let age else { return "" }
        let minutes = (age + .seconds(1)).components.seconds / 60
        return minutes == 0 ? " (just now)" : " (\(minutes) minutes old)"
    }
}

extension [Book] {
    /// The books in one line.
    var line: String {
        isEmpty ? "empty" : map { "\($0.id) \($0.title)" }.joined(separator: ", ")
    }
}
