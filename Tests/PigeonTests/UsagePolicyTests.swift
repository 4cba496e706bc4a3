import Foundation
import Pigeon
import PigeonTesting
import TestSupport
import Testing

/// What a cache has for a key.
enum Cached: String, CaseIterable {
    case nothing, valid, expired, otherType, invalidated
}

/// A row of the table in rule B3.
struct Row: CustomTestStringConvertible {
    let policy: QueryCacheConfig.UsagePolicy
    let cached: Cached
    let succeeds: Bool
    let states: [String]
    let fetches: Int

    var testDescription: String { "\(policy), \(cached), \(succeeds ? "success" : "failure")" }

    static let all: [Row] = [Row].instead + [Row].ifFails + [Row].andThen
}

extension [Row] {
    private static func loading(_ policy: QueryCacheConfig.UsagePolicy, _ cached: Cached) -> [Row] {
        [
            Row(
                policy: policy, cached: cached, succeeds: true, states: ["idle", "loading", "succeed([Bob])"],
                fetches: 1),
            Row(
                policy: policy, cached: cached, succeeds: false, states: ["idle", "loading", "failed(Broken)"],
                fetches: 1),
        ]
    }

    fileprivate static var instead: [Row] {
        [.nothing, .expired, .otherType].flatMap { loading(.useInsteadOfFetching, $0) } + [
            Row(
                policy: .useInsteadOfFetching, cached: .valid, succeeds: true, states: ["succeed([Ann])"], fetches: 0),
            // What was invalidated is stale whatever its age: it is not used instead of fetching.
            Row(
                policy: .useInsteadOfFetching, cached: .invalidated, succeeds: true,
                states: ["succeed([Ann])", "loading", "succeed([Bob])"], fetches: 1),
        ]
    }

    fileprivate static var ifFails: [Row] {
        [.nothing, .expired, .otherType].flatMap { loading(.useIfFetchFails, $0) } + [
            Row(
                policy: .useIfFetchFails, cached: .valid, succeeds: true,
                states: ["idle", "loading", "succeed([Bob])"],
                fetches: 1),
            Row(
                policy: .useIfFetchFails, cached: .valid, succeeds: false,
                states: ["idle", "loading", "succeed([Ann])"], fetches: 1),
            Row(
                policy: .useIfFetchFails, cached: .invalidated, succeeds: false,
                states: ["idle", "loading", "succeed([Ann])"], fetches: 1),
        ]
    }

    fileprivate static var andThen: [Row] {
        [.nothing, .expired, .otherType].flatMap { loading(.useAndThenFetch, $0) } + [
            Row(
                policy: .useAndThenFetch, cached: .valid, succeeds: true, states: ["succeed([Ann])", "succeed([Bob])"],
                fetches: 1),
            Row(
                policy: .useAndThenFetch, cached: .valid, succeeds: false, states: ["succeed([Ann])"], fetches: 1),
        ]
    }
}

@MainActor
@Suite("usage policy and what is cached", .rule("B3"))
struct UsagePolicyTests {
    let lab = QueryLab()
    let cache = InMemoryQueryCache()
    let server: Server<Void, [User]>

    init() {
        server = Server(lab)
    }

    private func fill(_ cached: Cached) {
        switch cached {
        case .nothing: break
        case .valid: cache.save([ann], for: "users", andTimestamp: lab.date)
        case .expired: cache.save([ann], for: "users", andTimestamp: lab.date.addingTimeInterval(-100))
        case .otherType: cache.save(["Ann"], for: "users", andTimestamp: lab.date)
        case .invalidated:
            cache.save([ann], for: "users", andTimestamp: lab.date)
            cache.markStale(.key("users"))
        }
    }

    @Test(arguments: Row.all)
    func `a query shows what the table says`(row: Row) {
        fill(row.cached)
        let users = lab.users(server, config: .using(row.policy, for: 100), cache: cache)
        let log = StateLog(users)
        users.refetch(request: ())
        if row.succeeds { server.succeed(with: [bob]) } else { server.fail() }
        #expect(log.states == row.states)
        #expect(server.callCount == row.fetches)
        let saved: [User]? = cache.get(for: "users")
        if row.succeeds, row.fetches > 0 { #expect(saved == [bob]) }
        if !row.succeeds { #expect(users.snapshot.error is Broken) }
    }

    @Test func `a value is valid until just before its time, and not from then on`() {
        cache.save([ann], for: "users", andTimestamp: lab.date.addingTimeInterval(-99.5))
        let users = lab.users(server, config: .using(.useInsteadOfFetching, for: 100), cache: cache)
        users.refetch(request: ())
        #expect(server.callCount == 0)
        lab.advance(by: .milliseconds(500))
        users.refetch(request: ())
        #expect(server.callCount == 1)
        #expect(users.state.isLoading)
    }

    @Test func `a clock that is set back makes nothing valid`() {
        cache.save([ann], for: "users", andTimestamp: lab.date.addingTimeInterval(1_000_000))
        let users = lab.users(server, config: .using(.useInsteadOfFetching, for: 100), cache: cache)
        users.refetch(request: ())
        // A date in the future does not say how old the value is (E13).
        #expect(server.callCount == 1)
        #expect(users.state.isLoading)
    }

    @Test func `a poll that fails leaves what useAndThenFetch shows, even when its time passes meanwhile`() {
        let users = lab.users(
            server, .startImmediately(()), polling: .pollEvery(9), config: .using(.useAndThenFetch, for: 10))
        server.succeed(with: [ann])
        let log = StateLog(users)
        lab.advance(by: .seconds(9))
        lab.advance(by: .seconds(2))
        server.fail()
        #expect(log.states == ["succeed([Ann])"])
        #expect(users.snapshot.error is Broken)
    }

    @Test(arguments: [Double.nan, -1, 0, -Double.infinity])
    func `a time that is none makes nothing valid`(seconds: Double) {
        cache.save([ann], for: "users", andTimestamp: lab.date)
        let users = lab.users(server, config: .using(.useInsteadOfFetching, for: seconds), cache: cache)
        users.refetch(request: ())
        #expect(server.callCount == 1)
        server.fail()
        #expect(users.state.error is Broken)
    }

    @Test func `an endless time is for ever`() {
        cache.save([ann], for: "users", andTimestamp: .distantPast)
        let users = lab.users(server, config: .using(.useInsteadOfFetching, for: Double.infinity), cache: cache)
        users.refetch(request: ())
        #expect(server.callCount == 0)
        #expect(users.state.value == [ann])
    }

    @Test func `options keep the configuration of a query, whose time says whether a cached value is valid`() {
        var options = QueryOptions()
        #expect(options.cacheConfig == nil)
        options.cacheConfig = .using(.useAndThenFetch, for: 5)
        #expect(options.cacheConfig == .using(.useAndThenFetch, for: 5))
        #expect(options.cacheValidity == .expiresAfter(5))
        options.cacheConfig = nil
        #expect(options == QueryOptions())
    }
}
