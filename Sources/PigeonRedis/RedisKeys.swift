internal import PigeonCore

/// The keys of a store. Keys with the same text in braces are on one node of a cluster.
struct RedisKeys: Sendable {
    let namespace: String

    var log: String { "{\(namespace)}:log" }
    var meta: String { "{\(namespace)}:meta" }

    func value(_ key: QueryKey) -> String { "{\(namespace):\(key.queryKeyValue)}:v" }
    func lease(_ key: QueryKey) -> String { "{\(namespace):\(key.queryKeyValue)}:l" }

    /// A pattern that matches all values of a path, and possibly more.
    func pattern(_ scope: QueryRecordScope) -> String {
        var path = ""
        if case .path(let key) = scope { path = key.queryKeyValue }
        let text = "{\(namespace):\(path)"
        return text.reduce(into: "") { $0 += "*?[]\\^".contains($1) ? "\\\($1)" : "\($1)" } + "*}:v"
    }

    /// True if a key is that of a value in the scope.
    func isValue(_ name: [UInt8], in scope: QueryRecordScope) -> Bool {
        let text = String(decoding: name, as: UTF8.self)
        let (first, last) = ("{\(namespace):", "}:v")
        guard text.hasPrefix(first), text.hasSuffix(last), text.utf8.count >= first.utf8.count + last.utf8.count else {
            return false
        }
        return scope.contains(QueryKey(canonical: String(text.dropFirst(first.count).dropLast(last.count))), tags: [])
    }
}

/// A program that the server runs.
final class RedisScript: Sendable {
    let text: String
    private let state = Locked<[UInt8]?>(nil)

    /// The name under which servers know the script. `nil` until one has told it.
    var digest: [UInt8]? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    private init(_ text: String) {
        self.text = text
    }

    /// Takes a lease: holder, number, time, accepted age of a failure.
    static let lease = RedisScript(
        """
        local lease = redis.call('HMGET', KEYS[2], 'holder', 'number', 'failure', 'at')
        if lease[1] and lease[1] ~= ARGV[1] and ARGV[2] ~= '18446744073709551615'
            and tonumber(lease[2]) >= tonumber(ARGV[2]) then
          if not lease[3] then return {'held'} end
          local time = redis.call('TIME')
          local now = time[1] * 1000 + math.floor(time[2] / 1000)
          if now - tonumber(lease[4]) <= tonumber(ARGV[4]) then return {'failed', lease[3]} end
        end
        redis.call('DEL', KEYS[2])
        redis.call('HSET', KEYS[2], 'holder', ARGV[1], 'number', ARGV[2])
        redis.call('PEXPIRE', KEYS[2], ARGV[3])
        return {'taken', redis.call('GET', KEYS[1])}
        """)

    /// Renews a lease: holder, time.
    static let renew = RedisScript(
        """
        if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
        return redis.call('PEXPIRE', KEYS[1], ARGV[2])
        """)

    /// Ends a lease: holder, kind of the outcome, time, content.
    static let end = RedisScript(
        """
        if redis.call('HGET', KEYS[2], 'holder') ~= ARGV[1] then return 0 end
        if ARGV[2] == 'f' then
          local time = redis.call('TIME')
          redis.call('HSET', KEYS[2], 'failure', ARGV[4], 'at', time[1] * 1000 + math.floor(time[2] / 1000))
          return redis.call('PEXPIRE', KEYS[2], ARGV[3])
        end
        redis.call('DEL', KEYS[2])
        if ARGV[2] == 'v' then redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[3]) end
        return 1
        """)

    /// Adds entries to the log: epoch of a new log, length, member, changes.
    static let publish = RedisScript(
        """
        local meta = redis.call('HMGET', KEYS[2], 'e', 'n')
        local epoch, number = meta[1], meta[2]
        if not epoch then
          epoch, number = ARGV[1], 0
          redis.call('DEL', KEYS[1])
          redis.call('HSET', KEYS[2], 'e', epoch, 'n', 0)
        end
        for i = 4, #ARGV do
          number = redis.call('HINCRBY', KEYS[2], 'n', 1)
          redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[2], number .. '-0', 'e', epoch, 'm', ARGV[3], 'c', ARGV[i])
        end
        return {epoch, tostring(number)}
        """)

    /// Reads the whole log: epoch of a new log.
    static let log = RedisScript(
        """
        local meta = redis.call('HMGET', KEYS[2], 'e', 'n')
        if not meta[1] then
          meta = {ARGV[1], '0'}
          redis.call('DEL', KEYS[1])
          redis.call('HSET', KEYS[2], 'e', meta[1], 'n', 0)
        end
        return {meta, redis.call('XRANGE', KEYS[1], '-', '+')}
        """)
}
