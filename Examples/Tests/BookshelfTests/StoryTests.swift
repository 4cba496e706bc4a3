import PigeonTesting
import Testing

@testable import BookshelfDemo

@Suite("The story of a shelf")
struct StoryTests {
    @Test(.timeLimit(.minutes(1)))
    func `it is told in full, and is the same each time`() async throws {
        let file = temporaryDatabase()
        defer { removeDatabase(at: file) }
        var lines: [String] = []
        // A clock that stands still, so that a busy machine does not make values older.
        try await Story(file: file, clock: ManualClock()) { lines.append($0) }.play()
        #expect(lines == Self.story.split(separator: "\n").map(String.init))
    }

    private static let story = """
        The first start: nothing is stored, so the server is asked, once
          screen   1 Emma, 2 Ulysses (just now)
          table    1 Emma, 2 Ulysses
          server   requests: 1
        Ten minutes later, the second start: the rows are shown at once, and the server is not asked
          screen   1 Emma, 2 Ulysses (10 minutes old)
          server   requests: 0
        Another part of the program writes to the table: the screen shows it, and the server is not asked
          screen   1 Emma, 2 Dubliners
          server   requests: 0
        The user changes a title: the screen shows it, and the table does not have it yet
          screen   1 Persuasion, 2 Dubliners (not confirmed)
          table    1 Emma, 2 Dubliners
        The server refuses the change: it is rolled back
          error    the server refuses the title
          screen   1 Emma, 2 Dubliners
          table    1 Emma, 2 Dubliners
          server   requests: 1
        The user tries again, and the server accepts the change: it is saved
          screen   1 Persuasion, 2 Dubliners (not confirmed)
          screen   1 Persuasion, 2 Dubliners
          table    1 Persuasion, 2 Dubliners
          server   requests: 1
        The user signs out
          screen   empty
          table    empty
          server   requests: 0
        """
}
