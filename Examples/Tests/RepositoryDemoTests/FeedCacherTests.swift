import Foundation
import GRDB
import PigeonStore
import Testing

@testable import Repository

@Suite("The tables of feeds", .timeLimit(.minutes(1)))
struct FeedCacherTests {
    private let database: DatabaseQueue
    private let cacher: FeedCacher

    init() throws {
        database = try DatabaseQueue()
        try FeedTables.migrator.migrate(database)
        cacher = FeedCacher(database: database)
    }

    private func posts(_ ids: Int...) -> [Post] {
        ids.map { Post(id: $0, userId: 5, title: "Post \($0)") }
    }

    private func ids(of user: Int = 5) async throws -> [Int]? {
        try await cacher.loadData(param: user)?.map(\.id)
    }

    @Test func `a page is inserted at its side, and no other row is touched`() async throws {
        try await cacher.saveData(data: posts(6, 5), param: 5)
        try await database.write { database in
            try database.execute(sql: "CREATE TABLE log (what TEXT)")
            for (event, row) in [("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")] {
                try database.execute(
                    sql: """
                        CREATE TRIGGER log\(event) AFTER \(event) ON feedPost BEGIN
                            INSERT INTO log VALUES ('\(event) ' || \(row).id);
                        END
                        """)
            }
        }
        try await cacher.saveNextData(cachedData: posts(6, 5), newData: posts(4, 3), param: 5)
        try await cacher.savePrevData(cachedData: posts(6, 5, 4, 3), newData: posts(8, 7), param: 5)
        try await cacher.saveNextData(cachedData: posts(8, 7, 6, 5, 4, 3), newData: posts(2), param: 5)
        #expect(try await ids() == [8, 7, 6, 5, 4, 3, 2])
        let log = try await database.read { try String.fetchAll($0, sql: "SELECT what FROM log") }
        #expect(log == [4, 3, 8, 7, 2].map { "INSERT \($0)" })
    }

    @Test func `a page that is saved again, as its cursor was lost, is there once`() async throws {
        try await cacher.saveData(data: posts(6, 5), param: 5)
        for _ in 1...2 {
            try await cacher.saveNextData(cachedData: posts(6, 5), newData: posts(5, 4), param: 5)
        }
        #expect(try await ids() == [6, 5, 4])
    }

    @Test func `a feed without posts is one, a feed that is not known is none`() async throws {
        #expect(try await ids() == nil)
        try await cacher.saveData(data: [], param: 5)
        #expect(try await ids() == [])
        try await cacher.saveNextData(cachedData: [], newData: posts(6), param: 5)
        #expect(try await ids() == [6])
    }

    @Test func `emptying a feed leaves nothing of it, and all of others`() async throws {
        for user in [5, 6] {
            try await cacher.saveData(data: posts(6, 5), param: user)
            try await cacher.saveDataCachedAt(epochSeconds: 7, param: user)
            try await cacher.saveNextRequestKey(requestKey: "older", param: user)
            try await cacher.savePrevRequestKey(requestKey: "newer", param: user)
        }
        try await cacher.saveData(data: nil, param: 5)
        for (user, isThere) in [(5, false), (6, true)] {
            #expect(try await ids(of: user) == (isThere ? [6, 5] : nil))
            #expect(try await cacher.loadDataCachedAt(param: user) == (isThere ? 7 : nil))
            #expect(try await cacher.loadNextRequestKey(param: user) == (isThere ? "older" : nil))
            #expect(try await cacher.loadPrevRequestKey(param: user) == (isThere ? "newer" : nil))
        }
        let rows = try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM feedPost") }
        #expect(rows == 2)
    }

    @Test func `a feed is old after an hour, when it was marked, and when nobody knows`() async throws {
        try await cacher.saveData(data: posts(6), param: 5)
        let now = Date().timeIntervalSince1970
        for (stamp, isOld) in [(nil, true), (now - 60, false), (now - 3601, true), (0, true)] {
            if let stamp { try await cacher.saveDataCachedAt(epochSeconds: stamp, param: 5) }
            #expect(try await cacher.needRefresh(cachedData: posts(6), param: 5) == isOld)
        }
    }

    @Test func `whoever writes a post or a cursor is heard of`() async throws {
        try await cacher.saveData(data: posts(6), param: 5)
        var changes = try #require(cacher.changes(param: 5)).makeAsyncIterator()
        await changes.next(isolation: #isolation)  // of what may have changed before it listened
        for sql in ["UPDATE feedPost SET title = 'New'", "UPDATE feed SET nextKey = 'on'", "DELETE FROM feedPost"] {
            try await database.write { try $0.execute(sql: sql) }
            await changes.next(isolation: #isolation)
        }
    }
}
