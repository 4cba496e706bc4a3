import Foundation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("polling", .rule("B8"))
struct PollingTests {
    let lab = QueryLab()
    let server: Server<Void, [User]>

    init() {
        server = Server(lab)
    }

    @Test func `the first fetch is at once, then one every so many seconds`() {
        let users = lab.users(server, .startImmediately(()), polling: .pollEvery(2))
        #expect(server.callCount == 1)
        server.succeed(with: [ann])
        for count in 2...5 {
            lab.advance(by: .milliseconds(1999))
            #expect(server.callCount == count - 1)
            lab.advance(by: .milliseconds(1))
            #expect(server.callCount == count)
            server.succeed(with: [ann])
        }
        #expect(users.state.value == [ann])
    }

    @Test func `a query that was not asked does not poll`() {
        let users = lab.users(server, polling: .pollEvery(2))
        lab.advance(by: .seconds(20))
        #expect(server.callCount == 0)
        users.refetch(request: ())
        server.succeed(with: [ann])
        lab.advance(by: .seconds(2))
        #expect(server.callCount == 2)
    }

    @Test func `a tick never overlaps a running fetch`() {
        let users = lab.users(server, .startImmediately(()), polling: .pollEvery(1))
        lab.advance(by: .seconds(10))
        #expect(server.callCount == 1)
        server.succeed(with: [ann])
        lab.advance(by: .seconds(1))
        #expect(server.callCount == 2)
        #expect(server.cancelled.isEmpty)
        #expect(users.value == [ann])
    }

    @Test func `a failure does not stop it`() {
        let users = lab.users(server, .startImmediately(()), polling: .pollEvery(1))
        server.fail()
        lab.advance(by: .seconds(1))
        server.fail()
        lab.advance(by: .seconds(1))
        server.succeed(with: [ann])
        #expect(server.callCount == 3)
        #expect(users.state.value == [ann])
    }

    @Test func `a refetch begins the interval anew, with the new request`() {
        let server = Server(lab, Int.self, User.self)
        let user = UserByID(
            key: "user", behavior: .startImmediately(1), pollingBehavior: .pollEvery(2), cache: InMemoryQueryCache(),
            client: lab.client, fetcher: server.fetch)
        server.succeed(with: ann)
        lab.advance(by: .seconds(1))
        user.refetch(request: 2)
        server.succeed(with: bob)
        lab.advance(by: .milliseconds(1999))
        #expect(server.requests == [1, 2])
        lab.advance(by: .milliseconds(1))
        #expect(server.requests == [1, 2, 2])
    }

    @Test func `it ends when the query is let go`() {
        var users: Users? = lab.users(server, .startImmediately(()), polling: .pollEvery(1))
        server.succeed(with: [ann])
        lab.advance(by: .seconds(1))
        server.succeed(with: [ann])
        #expect(users != nil)
        users = nil
        lab.advance(by: .seconds(60))
        #expect(server.callCount == 2)
    }

    @Test func `it rests in the background`() {
        let users = lab.users(server, .startImmediately(()), polling: .pollEvery(1))
        server.succeed(with: [ann])
        lab.setActive(false)
        lab.advance(by: .seconds(3))
        #expect(server.callCount == 1)
        lab.setActive(true)
        lab.advance(by: .seconds(1))
        #expect(server.callCount == 2)
        #expect(users.value == [ann])
    }

    @Test func `under useInsteadOfFetching a tick fetches`() {
        let users = lab.users(
            server, .startImmediately(()), polling: .pollEvery(1), config: .using(.useInsteadOfFetching))
        server.succeed(with: [ann])
        lab.advance(by: .seconds(1))
        server.succeed(with: [bob])
        #expect(users.state.value == [bob])
    }

    @Test(.rule("B2")) func `under useInsteadOfFetching a failure stays while a tick fetches`() {
        let users = lab.users(
            server, .startImmediately(()), polling: .pollEvery(1), config: .using(.useInsteadOfFetching))
        server.succeed(with: [ann])
        lab.advance(by: .seconds(1))
        server.fail()
        let log = StateLog(users)
        lab.advance(by: .seconds(1))
        #expect(server.callCount == 3)
        #expect(log.states == ["failed(Broken)"])
        server.succeed(with: [bob])
        #expect(log.states == ["failed(Broken)", "succeed([Bob])"])
    }

    @Test(arguments: [Double.nan, 0, -1, -Double.infinity])
    func `an interval that is none does not poll, and is reported`(seconds: Double) {
        let users = lab.users(server, .startImmediately(()), polling: .pollEvery(seconds))
        server.succeed(with: [ann])
        lab.advance(by: .seconds(60))
        #expect(server.callCount == 1)
        #expect(users.value == [ann])
        #expect(lab.log.first?.hasPrefix("users misuse: polls every") == true)
    }

    @Test func `an endless interval is harmless`() {
        let users = lab.users(server, .startImmediately(()), polling: .pollEvery(Double.greatestFiniteMagnitude))
        server.succeed(with: [ann])
        lab.advance(by: .seconds(60))
        #expect(server.callCount == 1)
        #expect(users.value == [ann])
    }
}
