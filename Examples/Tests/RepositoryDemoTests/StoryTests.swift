import DemoServer
import Foundation
import PigeonStore
import PigeonTesting
import Testing

@testable import RepositoryDemo

@Suite("The story of a feed")
struct StoryTests {
    @Test(.timeLimit(.minutes(1)))
    func `it is told in full, and is the same each time`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("feeds-\(UUID().uuidString).sqlite")
        defer { removeDatabase(at: file) }
        let server = try await DemoServer.start()
        var lines: [String] = []
        // A clock that stands still, so that a busy machine does not tell a slow cache.
        let story = Story(server: server, file: file, environment: QueryEnvironment(clock: ManualClock())) {
            lines.append($0)
        }
        try await story.play()
        try await server.stop()
        #expect(lines == Self.story.split(separator: "\n").map(String.init))
    }

    private static let story = """
        The first start: nothing is known, so the server is asked, once
          screen   empty, and loads
          screen   more above, 46 45, more below
          server   requests: 1
        The user scrolls down, and up: each page is a few rows more
          screen   more above, 46 45, loads below
          screen   more above, 46 45 44 43, more below
          screen   loads above, 46 45 44 43, more below
          screen   more above, 48 47 46 45 44 43, more below
          tables   feeds: 1, posts: 6
          server   requests: 2
        Somebody else writes into the tables: the screen follows, and the server is not asked
          screen   more above, 48 47 46 'Changed by hand' 45 44 43, more below
          server   requests: 0
        The server fails: first a page, then the whole. What is in the tables stays
          screen   more above, 48 47 46 'Changed by hand' 45 44 43, loads below
          screen   more above, 48 47 46 'Changed by hand' 45 44 43, error 503 below
          screen   48 47 46 'Changed by hand' 45 44 43, and loads them anew
          screen   an error: 503
          tables   feeds: 1, posts: 6
          server   requests: 2
        The second start, without a server: all is there, with the title and the cursors
          screen   more above, 48 47 46 'Changed by hand' 45 44 43, more below
          server   requests: 0
        The server is well again, and the user goes on where it stopped, to both ends
          screen   more above, 48 47 46 'Changed by hand' 45 44 43, loads below
          screen   more above, 48 47 46 'Changed by hand' 45 44 43 42 41, nothing below
          screen   loads above, 48 47 46 'Changed by hand' 45 44 43 42 41, nothing below
          screen   nothing above, 50 49 48 47 46 'Changed by hand' 45 44 43 42 41, nothing below
          tables   feeds: 1, posts: 10
          server   requests: 2
        The user signs out
          screen   empty
          tables   feeds: 0, posts: 0
          server   requests: 0
        """
}
