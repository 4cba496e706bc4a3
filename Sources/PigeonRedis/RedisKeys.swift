internal import PigeonCore

/// The keys of a store. Keys with the same text in braces are on one node of a cluster.
struct RedisKeys: Sendable {
    let namespace: String

    var log: String { "{\(namespace)}:log" }
    var meta: String { "{\(namespace)}:meta" }

    func value(_ key: QueryKey) -> String { "{\(namespace):\(key.queryKeyValue)}:v" }
    func lease(_ key: QueryKey) -> String { "{\(namespace):\(key.queryKeyValue)}:l" }
    func request(_ key: QueryKey) -> String { "{\(namespace):\(key.queryKeyValue)}:r" }

    /// A pattern that matches all values of a path, and possibly more.
    func pattern(_ scope: QueryRecordScope) -> String {
        var path = ""
        if case .path(let key) = scope { path = key.queryKeyValue }
        let text = "{\(namespace):\(path)"
        return text.reduce(into: "") { $0 += "*?[]\\^".contains($1) ? "\\\($1)" : "\($1)" } + "*}:v"
    }

    func isValue(_ name: [UInt8], in scope: QueryRecordScope) -> Bool {
        let text = String(decoding: name, as: UTF8.self)
        let (first, last) = ("{\(namespace):", "}:v")
        guard text.hasPrefix(first), text.hasSuffix(last), text.utf8.count >= first.utf8.count + last.utf8.count else {
            return false
        }
        return scope.contains(QueryKey(canonical: String(text.dropFirst(first.count).dropLast(last.count))), tags: [])
    }
}

/// A Lua script that the server runs.
final class RedisScript: Sendable {
    let text: String
    private let state = Locked<[UInt8]?>(nil)

    /// The script's name on servers that have it. `nil` until a server has returned it.
    var digest: [UInt8]? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    private init(_ text: String) {
        self.text = text
    }

    /// Takes a lease: holder, number, needed number, whether it is forced, time, accepted age of a failure, interval.
    ///
    /// Writes before it deletes, because a server that is full would otherwise let it write. A command that is sent twice
    /// finds its own request, which is no other one. A failure of the future is of a clock that was set back.
    static let lease = RedisScript(
        """
        local lease = redis.call('HMGET', KEYS[2], 'holder', 'number', 'failure', 'at', 'alone')
        if lease[1] and lease[1] ~= ARGV[1] and ARGV[4] ~= '1' and tonumber(lease[2]) >= tonumber(ARGV[3]) then
          if lease[5] then return {'alone'} end
          if not lease[3] then return {'held'} end
          local time = redis.call('TIME')
          local now = time[1] * 1000 + math.floor(time[2] / 1000)
          local age = now - tonumber(lease[4])
          if age >= 0 and age <= tonumber(ARGV[6]) then return {'failed', lease[3]} end
        end
        local again = lease[1] == ARGV[1] and lease[2] == ARGV[2] and not lease[3] and not lease[5]
        if ARGV[7] ~= '0' and not again and not redis.call('SET', KEYS[3], '', 'PX', ARGV[7], 'NX') then
          return {'early', redis.call('PTTL', KEYS[3]), redis.call('GET', KEYS[1])}
        end
        redis.call('HSET', KEYS[2], 'holder', ARGV[1], 'number', ARGV[2])
        redis.call('HDEL', KEYS[2], 'failure', 'at', 'alone')
        redis.call('PEXPIRE', KEYS[2], ARGV[5])
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
        if ARGV[2] == 'a' then
          redis.call('HSET', KEYS[2], 'alone', '1')
          return redis.call('PEXPIRE', KEYS[2], ARGV[3])
        end
        local result = 1
        if ARGV[2] == 'v' then result = redis.pcall('SET', KEYS[1], ARGV[4], 'PX', ARGV[3]) end
        redis.call('DEL', KEYS[2])
        if type(result) == 'table' and result.err then return result end
        return 1
        """)

    /// Begins another log if there is none, or if it is that of another server: one that was started again, or a replica
    /// that has taken over, may lack the newest entries.
    private static let meta = """
        local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or ''
        local meta = redis.call('HMGET', KEYS[2], 'e', 'n', 'run')
        if not meta[1] or meta[3] ~= run then
          meta = {ARGV[1], '0', run}
          redis.call('DEL', KEYS[1])
          redis.call('HSET', KEYS[2], 'e', meta[1], 'n', 0, 'run', run)
        end

        """

    /// Adds entries to the log: epoch of a new log, length, member, changes.
    static let publish = RedisScript(
        meta + """
            local number = meta[2]
            for i = 4, #ARGV do
              number = redis.call('HINCRBY', KEYS[2], 'n', 1)
              redis.call('XADD', KEYS[1], 'MAXLEN', ARGV[2], number .. '-0', 'e', meta[1], 'm', ARGV[3], 'c', ARGV[i])
            end
            return {meta[1], tostring(number)}
            """)

    /// Reads the position of the log: epoch of a new log.
    static let position = RedisScript(meta + "return {meta[1], meta[2]}")

    /// Reads the whole log: epoch of a new log.
    static let log = RedisScript(meta + "return {{meta[1], meta[2]}, redis.call('XRANGE', KEYS[1], '-', '+')}")
}
