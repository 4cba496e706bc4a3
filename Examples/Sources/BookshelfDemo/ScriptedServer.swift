import Bookshelf

/// A server inside the process, whose decisions the story makes.
actor ScriptedServer: BookServer {
    /// The error of a change that the server refuses.
    struct Refusal: Error, CustomStringConvertible {
        let description = "the server refuses the title"
    }

    private var requestCount = 0
    private var stock = [Book(id: 1, title: "Emma"), Book(id: 2, title: "Ulysses")]
    private var decisions: [Bool] = []
    private var waiting: [CheckedContinuation<Bool, Never>] = []

    func books(on shelf: String) -> [Book] {
        requestCount += 1
        return stock
    }

    /// Waits for the decision of the story.
    func rename(_ id: Book.ID, to title: String) async throws {
        requestCount += 1
        guard await isAccepted() else { throw Refusal() }
        for index in stock.indices where stock[index].id == id { stock[index].title = title }
    }

    /// Decides about the oldest change that waits, or about the next one.
    func decide(accepting isAccepted: Bool) {
        if waiting.isEmpty { decisions.append(isAccepted) } else { waiting.removeFirst().resume(returning: isAccepted) }
    }

    /// Returns the number of requests since the last call.
    func takeRequestCount() -> Int {
        defer { requestCount = 0 }
        return requestCount
    }

    private func isAccepted() async -> Bool {
        if !decisions.isEmpty { return decisions.removeFirst() }
        return await withCheckedContinuation { waiting.append($0) }
    }
}
