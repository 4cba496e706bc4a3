import Foundation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("the snapshot beside the state", .rule("B4"))
struct SnapshotTests {
    let lab = QueryLab()
    let server: Server<Void, [User]>

    init() {
        server = Server(lab)
    }

    @Test func `the value stays in the snapshot while the state is loading`() {
        let users = lab.users(server, .startImmediately(()))
        server.succeed(with: [ann])
        users.refetch(request: ())
        #expect(users.state.isLoading)
        #expect(users.state.value == nil)
        #expect(users.value == [ann])
        #expect(users.snapshot.value == [ann])
        #expect(users.snapshot.isFetching)
    }

    @Test func `the error stays beside the value that is shown instead`() {
        let users = lab.users(server, .startImmediately(()))
        server.succeed(with: [ann])
        users.refetch(request: ())
        server.fail()
        #expect(users.state.value == [ann])
        #expect(users.snapshot.error is Broken)
        #expect(users.snapshot.failureCount == 1)
        users.refetch(request: ())
        server.succeed(with: [bob])
        #expect(users.snapshot.error == nil)
    }

    @Test func `the value stays in the snapshot while the state is failed`() {
        let users = lab.users(server, .startImmediately(()), config: .using(.useIfFetchFails, for: 1))
        server.succeed(with: [ann])
        lab.advance(by: .seconds(2))
        users.refetch(request: ())
        server.fail()
        #expect(users.state.error is Broken)
        #expect(users.value == [ann])
    }

    @Test func `the times and the cause are those of the client's world`() {
        let users = lab.users(server, .startImmediately(()))
        #expect(users.snapshot.cause == .requested)
        let date = lab.date
        server.succeed(with: [ann])
        #expect(users.snapshot.updatedAt == date)
        #expect(users.snapshot.cause == nil)
        lab.advance(by: .seconds(3))
        users.refetch(request: ())
        server.fail()
        #expect(users.snapshot.updatedAt == date)
        #expect(users.snapshot.failedAt == date.addingTimeInterval(3))
    }

    @Test func `a cached value is in the snapshot of a query that does not show it yet`() {
        let cache = InMemoryQueryCache()
        cache.save([ann], for: "users", andTimestamp: lab.date)
        let users = lab.users(server, cache: cache)
        #expect("\(users.state)" == "idle")
        #expect(users.value == [ann])
        #expect(!users.snapshot.isFetched)
    }

    @Test func `the state of any snapshot can be told`() {
        let users = lab.users(server, .startImmediately(()))
        server.succeed(with: [ann])
        users.refetch(request: ())
        #expect(QueryState(users.snapshot, config: .using(.useIfFetchFails)).isLoading)
        #expect(QueryState(users.snapshot, config: .using(.useAndThenFetch)).value == [ann])
    }
}
