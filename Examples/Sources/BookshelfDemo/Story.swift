import Bookshelf
import Foundation
import GRDB
import PigeonCore

/// The story of a shelf, from the first start of the program to the sign-out. It is the same each time: each step waits for
/// its result.
struct Story {
    private static let shelf = "bedroom"
    private static let firstStart = Date(timeIntervalSinceReferenceDate: 800_000_000)

    let file: URL
    /// The clock of both starts. A test may stop it.
    let clock: any QueryClock
    let tell: (String) -> Void
    private let server = ScriptedServer()

    init(file: URL, clock: any QueryClock = SystemClock(), tell: @escaping (String) -> Void) {
        (self.file, self.clock, self.tell) = (file, clock, tell)
    }

    func play() async throws {
        try await startFirst()
        try await startAgain()
    }

    private func startFirst() async throws {
        let bookshelf = try open(at: Self.firstStart)

        tell("The first start: nothing is stored, so the server is asked, once")
        var screen = Screen(bookshelf, shelf: Self.shelf, tell: tell)
        await screen.show(withAge: true) { $0.value != nil && !$0.isFetching }
        try await tellOfTable(bookshelf)
        await tellOfServer()
    }

    /// Only the file is left of the first start.
    private func startAgain() async throws {
        let bookshelf = try open(at: Self.firstStart.addingTimeInterval(600))

        tell("Ten minutes later, the second start: the rows are shown at once, and the server is not asked")
        var screen = Screen(bookshelf, shelf: Self.shelf, tell: tell)
        await screen.show(withAge: true) { $0.value != nil }
        await tellOfServer()

        tell("Another part of the program writes to the table: the screen shows it, and the server is not asked")
        try await bookshelf.database.write { database in
            try database.execute(sql: "UPDATE book SET title = 'Dubliners' WHERE id = 2")
        }
        await screen.show { $0.titles.last == "Dubliners" }
        await tellOfServer()

        tell("The user changes a title: the screen shows it, and the table does not have it yet")
        let refused = Task { try await bookshelf.rename(1, to: "Persuasion", on: Self.shelf) }
        await screen.show { $0.isOptimistic }
        try await tellOfTable(bookshelf)

        tell("The server refuses the change: it is rolled back")
        await server.decide(accepting: false)
        if case .failure(let error) = await refused.result { tell("  error    \(error)") }
        await screen.show { !$0.isOptimistic }
        try await tellOfTable(bookshelf)
        await tellOfServer()

        tell("The user tries again, and the server accepts the change: it is saved")
        let accepted = Task { try await bookshelf.rename(1, to: "Persuasion", on: Self.shelf) }
        await screen.show { $0.isOptimistic }
        await server.decide(accepting: true)
        try await accepted.value
        await screen.show { !$0.isOptimistic }
        try await waitForTable(of: bookshelf, toHave: "Persuasion")
        try await tellOfTable(bookshelf)
        await tellOfServer()

        tell("The user signs out")
        try await bookshelf.signOut()
        await screen.show { $0.value == nil }
        try await tellOfTable(bookshelf)
        await tellOfServer()
    }

    private func open(at date: Date) throws -> Bookshelf {
        try Bookshelf(
            file: file, server: server, environment: QueryEnvironment(clock: clock, wallClock: { date }))
    }

    private func tellOfServer() async {
        tell("  server   requests: \(await server.takeRequestCount())")
    }

    private func tellOfTable(_ bookshelf: Bookshelf) async throws {
        let books = try await bookshelf.database.read { database in
            try Book.fetchAll(database, sql: "SELECT id, title FROM book ORDER BY position")
        }
        tell("  table    \(books.line)")
    }

    /// Waits until a title is saved. A confirmed change is shown first, and saved right after that.
    private func waitForTable(of bookshelf: Bookshelf, toHave title: String) async throws {
        let observation = ValueObservation.tracking { try String.fetchAll($0, sql: "SELECT title FROM book") }
        for try await titles in observation.values(in: bookshelf.database) where titles.contains(title) { return }
    }
}
