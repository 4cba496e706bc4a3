public import PigeonCore
public import PigeonFleet
internal import Foundation

/// A fleet's store in Redis or Valkey.
///
/// ```swift
/// let store = try RedisStore("redis://10.0.0.5", namespace: "shop")
/// let client = QueryClient(fleet: Fleet.Setup(store: store))
/// ```
///
/// Works with servers from Redis 5 on and all versions of Valkey, and with clusters whose client library finds the node of
/// a key. All keys begin with the namespace. Those of one value have a hash tag of their own, and those of the log another
/// one, so that no script needs two nodes. The server must not evict the log, of which it keeps the newest
/// ``Limits/logLength`` entries. If it does all the same, all shared values are fetched again.
public final class RedisStore: FleetStore {
    /// How much the store keeps.
    public struct Limits: Sendable {
        /// The most entries of the log. A process that was away for longer than they reach back fetches all shared values
        /// again. Default 10,000.
        public var logLength = 10_000
        /// The most bytes of a value, as it is stored. A greater one is not shared. Default 1 MiB.
        public var valueSize = 1 << 20
        /// Values of more bytes than this are compressed with zlib, if that makes them smaller. The default is `nil`, for
        /// none.
        ///
        /// Needs the trait `Redis` in all processes: without it, nothing is compressed, and what is compressed cannot be
        /// read. A value that is more than 64 times as large as ``valueSize`` before it is compressed is not shared.
        public var compressAbove: Int?

        /// The most bytes of a value before it is compressed.
        fileprivate var expandedSize: Int {
            let (size, overflows) = valueSize.multipliedReportingOverflow(by: 64)
            return overflows ? .max : size
        }

        /// Creates the default limits.
        public init() {}
    }

    private let limits: Limits
    private let clock: any QueryClock
    private let keys: RedisKeys
    /// For all commands but those that wait for news.
    private let line: RedisLine
    /// Lines for commands that wait for news, one for each client that waits. Those here are free.
    private let waitingLines = Locked<[RedisLine]>([])
    private let connect: @Sendable () async throws -> any RedisConnection
    /// The difference between the server's clock and this one, and the time at which it was measured, in milliseconds. `nil`
    /// until it is known.
    private let clockOffset = Locked<(offset: Int64, at: Int64)?>(nil)

    /// Creates a store over connections of any library.
    ///
    /// - Parameters:
    ///   - namespace: The beginning of all keys. Programs with different data need different ones.
    ///   - limits: How much the store keeps.
    ///   - connect: Opens a connection. The store uses one, and one for each client that waits for news. It opens another
    ///     one after an error.
    public convenience init(
        namespace: String, limits: Limits = Limits(),
        connect: @escaping @Sendable () async throws -> any RedisConnection
    ) {
        self.init(namespace: namespace, limits: limits, clock: SystemClock(), connect: connect)
    }

    /// - Parameter clock: Measures the age of connections.
    init(
        namespace: String, limits: Limits = Limits(), clock: any QueryClock,
        connect: @escaping @Sendable () async throws -> any RedisConnection
    ) {
        (self.limits, self.clock, self.connect) = (limits, clock, connect)
        keys = RedisKeys(namespace: namespace)
        line = RedisLine(connect, clock: clock)
    }

    // MARK: Values

    /// Sends `GET`.
    public func value(for key: QueryKey) async throws -> FleetValue? {
        let offset = try await offset()
        return value(try await line.send(["GET", keys.value(key)]), offset)
    }

    /// Runs a script.
    public func lease(_ key: QueryKey, for ask: FleetAsk) async throws -> FleetLease {
        let offset = try await offset()
        let reply = try await run(
            .lease, [keys.value(key), keys.lease(key), keys.request(key)],
            [
                ask.holder, "\(ask.number)", "\(ask.needed)", ask.isForced ? "1" : "0", ask.time.milliseconds,
                "\(ask.acceptedFailureAge.clampedMilliseconds)", ask.interval.milliseconds,
            ])
        let parts = reply.elements
        switch parts.first?.text {
        case "taken": return .taken(newest: parts.count > 1 ? value(parts[1], offset) : nil)
        case "early":
            let newest = parts.count > 2 ? value(parts[2], offset) : nil
            // Zero in the last millisecond, and negative without an end.
            let rest = parts.dropFirst().first?.number ?? -1
            return .early(newest: newest, rest: rest >= 0 ? .milliseconds(max(1, rest)) : ask.interval)
        case "alone": return .alone
        case "failed": return .failed(FleetFailure(redisText: parts.last?.text ?? ""))
        case "held": return .held
        default: throw FleetError.refused("an unknown reply")
        }
    }

    /// Runs a script.
    public func renew(_ key: QueryKey, for ask: FleetAsk) async throws -> Bool {
        try await run(.renew, [keys.lease(key)], [ask.holder, ask.time.milliseconds]).integer == 1
    }

    /// Runs a script. Throws `FleetError.refused(_:)` for a value that is larger than ``Limits/valueSize``, and ends the
    /// lease.
    public func end(_ key: QueryKey, for ask: FleetAsk, with outcome: FleetOutcome) async throws -> Bool {
        var kind = "n"
        var content: [UInt8] = []
        var time = Duration.zero
        switch outcome {
        case .value(let value, let keepFor):
            let receivedAt = Self.milliseconds() + (try await offset()) - value.age.clampedMilliseconds
            content = RedisRecord.bytes(
                of: value, receivedAt: receivedAt, compressingAbove: limits.compressAbove)
            (kind, time) = ("v", keepFor)
            let isTooLarge = content.count > limits.valueSize || value.record.data.count > limits.expandedSize
            // Others need not try, for a while.
            if isTooLarge { (kind, content, time) = ("a", [], min(keepFor, .seconds(60))) }
        case .failure(let failure, let keepFor): (kind, content, time) = ("f", Array(failure.redisText.utf8), keepFor)
        case .alone(let keepFor): (kind, time) = ("a", keepFor)
        case .nothing: break
        }
        let arguments = [ask.holder, kind, max(time, .milliseconds(1)).milliseconds].map { Array($0.utf8) } + [content]
        let reply = try await run(.end, [keys.value(key), keys.lease(key)], bytes: arguments)
        guard kind == "a", case .value = outcome else { return reply.integer == 1 }
        throw FleetError.refused("a value of \(key) is larger than \(limits.valueSize) bytes")
    }

    private func value(_ reply: RedisReply, _ offset: Int64) -> FleetValue? {
        let read = reply.bytes.flatMap { RedisRecord.value($0, expandingTo: limits.expandedSize) }
        guard let (value, receivedAt) = read else { return nil }
        var aged = value
        let (age, overflows) = (Self.milliseconds() + offset).subtractingReportingOverflow(receivedAt)
        // A value from the future has an unknown age, because a clock was set back.
        guard !overflows, age >= -1000 else { return nil }
        aged.age = .milliseconds(max(0, age))
        return aged
    }

    // MARK: The log

    /// Runs a script, and deletes removed records in the background.
    public func publish(_ changes: [FleetNews.Change], by member: String) async throws -> FleetPosition {
        let reply = try await run(
            .publish, [keys.log, keys.meta],
            [Self.newEpoch(), "\(limits.logLength)", member] + changes.map(\.redisText))
        guard let position = FleetPosition(reply.elements) else { throw FleetError.refused("an unknown reply") }
        for case .removed(let scope) in changes { remove(scope, before: position) }
        return position
    }

    /// Sends `XREAD`, and reads the whole log if there are news that it no longer has.
    public func news(after position: FleetPosition?, waiting time: Duration) async throws -> FleetReading {
        let log = waitingLines.withLock { $0.popLast() } ?? RedisLine(connect, clock: clock)
        let reading = try await news(after: position, waiting: time, on: log)
        waitingLines.withLock { $0.append(log) }
        return reading
    }

    private func news(
        after position: FleetPosition?, waiting time: Duration, on log: RedisLine
    ) async throws -> FleetReading {
        if clockOffset.withLock({ $0.map { Self.milliseconds() - $0.at > 10_000 } ?? true }) {
            try await measureClock(on: log)
        }
        guard let position else { return try await wholeLog(on: log) }
        var command = ["XREAD", "COUNT", "1000"]
        if time > .zero { command += ["BLOCK", max(time, .milliseconds(1)).milliseconds] }
        command += ["STREAMS", keys.log, "\(position.number)-0"]
        let reply = try await log.send(RedisCommand(command.map { Array($0.utf8) }))
        let entries = reply.elements.first?.elements.last?.elements ?? []
        guard !entries.isEmpty else {
            // Nothing is new, or the log is another one.
            let now = try await run(.position, [keys.log, keys.meta], [Self.newEpoch()], on: log)
            return FleetPosition(now.elements) == position ? .news([]) : try await wholeLog(on: log)
        }
        let news = entries.compactMap(RedisLogEntry.init)
        let isNext = zip(news, 1...).allSatisfy { entry, count in
            entry.epoch == position.epoch && entry.number == position.number &+ UInt64(count)
        }
        guard news.count == entries.count, isNext else { return try await wholeLog(on: log) }
        return .news(news.map(\.news))
    }

    private func wholeLog(on log: RedisLine) async throws -> FleetReading {
        let reply = try await run(.log, [keys.log, keys.meta], [Self.newEpoch()], on: log)
        let parts = reply.elements
        guard parts.count == 2, let position = FleetPosition(parts[0].elements) else {
            throw FleetError.refused("an unknown reply")
        }
        let entries = parts[1].elements
        if let last = entries.last, RedisLogEntry.number(of: last) ?? .max > position.number {
            throw FleetError.refused("the log has an entry of another program")
        }
        // Nothing is known of what came before an entry that is missing or cannot be read.
        var news: [FleetNews] = []
        for entry in entries.reversed().lazy.map(RedisLogEntry.init) {
            guard let entry, entry.epoch == position.epoch, entry.number == position.number &- UInt64(news.count)
            else { break }
            news.append(entry.news)
        }
        return .log(news.reversed(), after: position.number &- UInt64(news.count), at: position)
    }

    /// Deletes, in the background, the values of a scope that were requested before its removal. Members do not believe
    /// the values that it misses, which then expire.
    private func remove(_ scope: QueryRecordScope, before position: FleetPosition) {
        let (line, keys) = (line, keys)
        let (first, last) = (Array("0".utf8), Array("\(RedisRecord.headSize - 1)".utf8))
        @Sendable func delete(_ key: [UInt8]) async throws {
            let head = try await line.send(RedisCommand([Array("GETRANGE".utf8), key, first, last])).bytes
            guard let found = head.flatMap(RedisRecord.position(of:)),
                found.epoch != position.epoch || found.number < position.number
            else { return }
            _ = try await line.send(RedisCommand([Array("UNLINK".utf8), key]))
        }
        Task {
            switch scope {
            case .tag: return
            case .key(let key): try await delete(Array(keys.value(key).utf8))
            case .path, .all:
                var cursor = "0"
                repeat {
                    let reply = try await line.send(["SCAN", cursor, "MATCH", keys.pattern(scope), "COUNT", "500"])
                    cursor = reply.elements.first?.text ?? "0"
                    let found = reply.elements.last?.elements.compactMap(\.bytes) ?? []
                    for key in found where keys.isValue(key, in: scope) { try await delete(key) }
                } while cursor != "0"
            }
        }
    }

    // MARK: Scripts

    private func run(
        _ script: RedisScript, _ keys: [String], _ arguments: [String], on other: RedisLine? = nil
    ) async throws -> RedisReply {
        try await run(script, keys, bytes: arguments.map { Array($0.utf8) }, on: other)
    }

    private func run(
        _ script: RedisScript, _ keys: [String], bytes arguments: [[UInt8]], on other: RedisLine? = nil
    ) async throws -> RedisReply {
        let line = other ?? line
        let rest = ["\(keys.count)"].map { Array($0.utf8) } + keys.map { Array($0.utf8) } + arguments
        if let digest = script.digest {
            do {
                return try await line.send(RedisCommand([Array("EVALSHA".utf8), digest] + rest))
            } catch FleetError.refused(let text) where text.hasPrefix("NOSCRIPT") {}
        }
        // The server keeps the script under its digest.
        let reply = try await line.send(RedisCommand([Array("EVAL".utf8), Array(script.text.utf8)] + rest))
        if script.digest == nil {
            script.digest = try? await line.send(["SCRIPT", "LOAD", script.text]).bytes
        }
        return reply
    }

    // MARK: Time

    private static func milliseconds() -> Int64 { SystemClock().now().nanoseconds / 1_000_000 }

    private static func newEpoch() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    private func offset() async throws -> Int64 {
        if let known = clockOffset.withLock({ $0 }) { return known.offset }
        return try await measureClock(on: line)
    }

    /// Compares the server's clock with this one.
    @discardableResult
    private func measureClock(on line: RedisLine) async throws -> Int64 {
        // The first command may have to wait until the connection is open.
        _ = try await line.send(["TIME"])
        let before = Self.milliseconds()
        let parts = try await line.send(["TIME"]).elements.compactMap(\.number)
        // Seconds up to the year 3000.
        guard parts.count == 2, (0...32_503_680_000).contains(parts[0]), (0..<1_000_000).contains(parts[1]) else {
            throw FleetError.refused("an unknown reply")
        }
        let after = Self.milliseconds()
        let offset = parts[0] * 1000 + parts[1] / 1000 - (before + (after - before) / 2)
        clockOffset.withLock { $0 = (offset, after) }
        return offset
    }
}

extension Duration {
    fileprivate var clampedMilliseconds: Int64 { clampedNanoseconds / 1_000_000 }
    fileprivate var milliseconds: String { "\(max(0, clampedMilliseconds))" }
}

extension FleetPosition {
    fileprivate init?(_ parts: [RedisReply]) {
        guard parts.count == 2, let epoch = parts[0].text, let number = parts[1].number, number >= 0 else {
            return nil
        }
        self.init(epoch: epoch, number: UInt64(number))
    }
}
