import Foundation
import Testing

@testable import PigeonCore
@testable import PigeonFleet
@testable import PigeonRedis

@Suite("Values of a fleet as bytes")
struct RedisRecordTests {
    private func value(_ data: Data, tags: [String] = []) -> FleetValue {
        let record = QueryRecord(
            data: data, savedAt: Date(timeIntervalSince1970: 0), schema: -3, freshFor: 1.5,
            validators: FetchValidators(eTag: "\"ä\"", lastModified: nil), staleIfError: 60, tags: tags)
        return FleetValue(record: record, age: .zero, position: FleetPosition(epoch: "abc", number: 7))
    }

    @Test func `A value survives`() throws {
        for (data, tags) in [(Data(), []), (Data([0, 255, 10]), ["", "a\nb", "ü"])] {
            let bytes = RedisRecord.bytes(of: value(data, tags: tags), receivedAt: -5)
            let read = try #require(RedisRecord.value(bytes))
            #expect(read.0 == value(data, tags: tags))
            #expect(read.receivedAt == -5)
        }
    }

    #if Redis
        @Test func `A large value is compressed if asked, and expands to no more than is allowed`() throws {
            let text = value(Data((0..<500).map { "item \($0)," }.joined().utf8), tags: ["tag"])
            let bytes = RedisRecord.bytes(of: text, receivedAt: 5, compressingAbove: 1000)
            #expect(bytes.count < text.record.data.count / 2)
            #expect(try #require(RedisRecord.value(bytes)).0 == text)
            #expect(RedisRecord.value(bytes, expandingTo: text.record.data.count)?.0 == text)
            #expect(RedisRecord.value(bytes, expandingTo: text.record.data.count - 1) == nil)
            // A value that is small, or that zlib cannot make smaller, is stored as it is.
            for same in [Data("item 1,".utf8), Data((0..<2000).map { _ in UInt8.random(in: .min ... .max) }), Data()] {
                let plain = RedisRecord.bytes(of: value(same), receivedAt: 5)
                #expect(RedisRecord.bytes(of: value(same), receivedAt: 5, compressingAbove: 1000) == plain)
            }
        }
    #endif

    @Test(arguments: [nil, 10])
    func `Any damage is noticed`(compressingAbove size: Int?) {
        let content = Data(String(repeating: "content ", count: 9).utf8)
        let bytes = RedisRecord.bytes(
            of: value(content, tags: ["tag"]), receivedAt: 5, compressingAbove: size)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x41
            #expect(RedisRecord.value(damaged) == nil, "byte \(index)")
        }
        for count in bytes.indices { #expect(RedisRecord.value(Array(bytes.prefix(count))) == nil) }
        #expect(RedisRecord.value(bytes + [0]) == nil)
    }

    @Test(arguments: [nil, 10])
    func `The beginning of a value tells when it was requested`(compressingAbove size: Int?) {
        let content = Data(String(repeating: "content ", count: 90).utf8)
        let bytes = RedisRecord.bytes(
            of: value(content, tags: Array(repeating: "tag", count: 50)), receivedAt: 5, compressingAbove: size)
        #expect(bytes.count > RedisRecord.headSize)
        let head = Array(bytes.prefix(RedisRecord.headSize))
        #expect(RedisRecord.position(of: head) == FleetPosition(epoch: "abc", number: 7))
        for count in 0..<43 { #expect(RedisRecord.position(of: Array(head.prefix(count))) == nil) }
        var other = head
        other[8] ^= 1
        #expect(RedisRecord.position(of: other) == nil)
    }

    /// A server that answers as a test says.
    private struct Stub: RedisConnection {
        let answer: @Sendable (String) -> RedisReply

        func send(_ command: RedisCommand) async throws -> RedisReply {
            let name = String(decoding: command.arguments[0], as: UTF8.self)
            return name == "TIME" ? .array([.integer(1_000_000), .integer(0)]) : answer(name)
        }
        func close() {}
    }

    private func text(_ text: String) -> RedisReply { .string(Array(text.utf8)) }

    private func entry(_ number: UInt64, epoch: String = "a", isReadable: Bool = true) -> RedisReply {
        let fields = isReadable ? ["e", epoch, "m", "me", "c", "sa"] : ["x", "y"]
        return .array([text("\(number)-0"), .array(fields.map(text))])
    }

    @Test func `A value of the future is none, because a clock was set back`() async throws {
        let cases: [(Int64, Bool)] = [(1_003_600_000, false), (1_000_000_500, true), (999_000_000, true)]
        for (receivedAt, isUsed) in cases {
            let bytes = RedisRecord.bytes(of: value(Data()), receivedAt: receivedAt)
            let store = RedisStore(namespace: "t") { Stub { _ in .string(bytes) } }
            #expect(try await (store.value(for: "a") != nil) == isUsed)
        }
    }

    @Test func `No reply to a lease is taken for another one`() async {
        let ask = FleetAsk(
            holder: "h", number: 1, needed: 1, time: .seconds(5), acceptedFailureAge: .zero, interval: .seconds(9))
        for reply in [RedisReply.null, .array([]), text("held"), .array([text("x")])] {
            let store = RedisStore(namespace: "t") { Stub { _ in reply } }
            await #expect(throws: FleetError.refused("an unknown reply")) { try await store.lease("k", for: ask) }
        }
        for (rest, time) in [(-1, .seconds(9)), (0, .milliseconds(1)), (7, .milliseconds(7))] as [(Int, Duration)] {
            let store = RedisStore(namespace: "t") { Stub { _ in .array([text("early"), .integer(rest)]) } }
            let lease = try? await store.lease("k", for: ask)
            #expect(lease == .early(newest: nil, rest: time))
        }
    }

    /// Where `Int` has 32 bits, as in `TIME` since 2038 and in the rest of a long lease.
    @Test func `Numbers have 64 bits whatever Int has`() {
        let seconds: Int64? = text("32503680000").number
        #expect(seconds == 32_503_680_000)
        #expect(RedisReply(number: .max).number == .max)
        #expect(RedisReply(number: -1) == .integer(-1))
        #expect(text("9223372036854775808").number == nil)
        #expect(RedisReply.null.number == nil)
    }

    @Test func `What is before a missing or damaged entry is not known, and no number ends the process`() async throws {
        let position = RedisReply.array([text("a"), text("3")])
        func news(_ entries: [RedisReply], after known: FleetPosition? = nil) async throws -> FleetReading {
            let log = RedisReply.array([position, .array(entries)])
            let store = RedisStore(namespace: "t") {
                Stub { $0 == "XREAD" ? .array([.array([text("log"), .array(entries)])]) : log }
            }
            return try await store.news(after: known, waiting: .zero)
        }
        let start = FleetPosition(epoch: "a", number: 3)
        func known(_ reading: FleetReading) -> UInt64? {
            if case .log(_, let after, start) = reading { after } else { nil }
        }
        #expect(known(try await news([entry(1), entry(2), entry(3)])) == 0)
        #expect(known(try await news([entry(1), entry(2, isReadable: false), entry(3)])) == 2)
        #expect(known(try await news([entry(1), entry(3)])) == 2)
        #expect(known(try await news([entry(1), entry(2)])) == 3)
        #expect(known(try await news([entry(2), entry(3, epoch: "b")])) == 3)
        for number in [4, UInt64.max] {
            await #expect(throws: FleetError.self) { try await news([entry(2), entry(3), entry(number)]) }
            await #expect(throws: FleetError.self) { try await news([entry(2), entry(number, isReadable: false)]) }
        }
        let last = FleetPosition(epoch: "a", number: .max)
        await #expect(throws: FleetError.self) { try await news([entry(1), entry(.max)], after: last) }
        // The next one must follow the one before.
        let first = FleetPosition(epoch: "a", number: 1)
        guard case .news(let two) = try await news([entry(2), entry(3)], after: first) else {
            Issue.record("not news")
            return
        }
        #expect(two.map(\.number) == [2, 3])
        await #expect(throws: FleetError.self) { try await news([entry(2), entry(.max)], after: first) }
    }

    @Test func `Changes and failures survive`() {
        let scopes: [QueryRecordScope] = [.key(["a", "b/c"]), .path("users"), .tag("a b"), .all]
        for scope in scopes {
            for change in [FleetNews.Change.stale(scope), .removed(scope)] {
                #expect(FleetNews.Change(redisText: change.redisText) == change)
            }
        }
        #expect(FleetNews.Change(redisText: "") == nil)
        #expect(FleetNews.Change(redisText: "sx1") == nil)
        for failure in [
            FleetFailure(label: "404 | not there", statusCode: 404, isTransient: false),
            FleetFailure(label: "", statusCode: nil, isTransient: true),
        ] {
            #expect(FleetFailure(redisText: failure.redisText) == failure)
        }
    }

    @Test func `Keys of one value are on one node of a cluster, and a pattern finds no others`() {
        let keys = RedisKeys(namespace: "shop")
        func tag(_ key: String) -> Substring { key.drop { $0 != "{" }.prefix { $0 != "}" } }
        for key: QueryKey in ["a", ["users", "}{*?[x]"]] {
            #expect(tag(keys.value(key)) == tag(keys.lease(key)))
            #expect(keys.isValue(Array(keys.value(key).utf8), in: .key(key)))
        }
        #expect(tag(keys.log) == tag(keys.meta))
        #expect(!keys.isValue(Array(keys.value("usersish").utf8), in: .path("users")))
        #expect(keys.isValue(Array(keys.value(["users", "1"]).utf8), in: .path("users")))
        #expect(!keys.isValue(Array("{shop:}".utf8), in: .all))
        #expect(keys.pattern(.path(["a*"])) == "{shop:a\\**}:v")
    }
}
