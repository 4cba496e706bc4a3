internal import PigeonBase
internal import PigeonCore
internal import PigeonFleet

/// A connection with a Redis or Valkey server.
///
/// PigeonRedis brings one, over hiredis, with the trait `Redis`. To use another library, conform a type to this protocol
/// and pass it to ``RedisStore/init(namespace:limits:connect:)``.
public protocol RedisConnection: Sendable {
    /// Sends a command, and returns the reply.
    ///
    /// May be called several times at once. The commands are sent in the order of the calls, and need not wait for each
    /// other's replies. An error that the server replies is ``RedisReply/error(_:)``, and is not thrown.
    ///
    /// - Throws: An error of the connection. The store then opens another one.
    func send(_ command: RedisCommand) async throws -> RedisReply

    /// Closes the connection. Calls that have not returned throw.
    func close()
}

/// A command, as its name and arguments in bytes.
public struct RedisCommand: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The name, and then the arguments.
    public var arguments: [[UInt8]]

    /// Creates a command.
    public init(_ arguments: [[UInt8]]) {
        self.arguments = arguments
    }

    /// Creates a command whose arguments are text.
    public init(arrayLiteral arguments: String...) {
        self.init(arguments.map { Array($0.utf8) })
    }
}

/// A reply of the server.
public enum RedisReply: Sendable, Hashable {
    /// No value.
    case null
    /// A number.
    case integer(Int)
    /// Bytes, or the text of a status.
    case string([UInt8])
    /// Several replies.
    case array([RedisReply])
    /// The server's text for why it did not carry out the command.
    case error(String)

    /// Creates the reply for a number of the server: a text where `Int` cannot hold it.
    init(number: Int64) {
        if let number = Int(exactly: number) {
            self = .integer(number)
        } else {
            self = .string(Array("\(number)".utf8))
        }
    }

    /// The number, also if it is written as text. `nil` for any other reply, and for a number that `Int` cannot hold.
    public var integer: Int? { number.flatMap { Int(exactly: $0) } }

    /// The number, also if it is written as text. `nil` for any other reply.
    var number: Int64? {
        switch self {
        case .integer(let number): Int64(number)
        case .string(let bytes): Int64(String(decoding: bytes, as: UTF8.self))
        case .null, .array, .error: nil
        }
    }

    /// The bytes. `nil` for any other reply.
    public var bytes: [UInt8]? {
        if case .string(let bytes) = self { bytes } else { nil }
    }

    /// The bytes as text. `nil` for any other reply.
    public var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    /// The replies in it. Empty for any other reply.
    public var elements: [RedisReply] {
        if case .array(let elements) = self { elements } else { [] }
    }
}

/// Opens a connection for the first command, and another one after it has failed.
final class RedisLine: Sendable {
    typealias Connect = @Sendable () async throws -> any RedisConnection

    private let connect: Connect
    private let clock: any QueryClock
    private let state = Locked(State())

    private struct State {
        var opening: Task<any RedisConnection, any Error>?
        var connection: (any RedisConnection)?
        var openedAt = MonotonicInstant(nanoseconds: 0)
        var count = 0
    }

    init(_ connect: @escaping Connect, clock: any QueryClock) {
        (self.connect, self.clock) = (connect, clock)
    }

    deinit {
        close()
    }

    /// Sends a command. All commands of a store may be sent twice: if a connection has ended, the command is sent over a
    /// new one, because the server may have been away for a moment.
    ///
    /// - Throws: ``FleetError/refused(_:)`` for an error that the server replies, and any other error of the connection.
    func send(_ command: RedisCommand) async throws -> RedisReply {
        var (connection, number, isNew) = try await current()
        while true {
            let reply: RedisReply
            do {
                reply = try await connection.send(command)
            } catch {
                // A fleet cancels only calls that take too long.
                drop(number)
                guard !isNew, !(error is CancellationError) else { throw error }
                (connection, number, _) = try await current()
                isNew = true
                continue
            }
            guard case .error(let reported) = reply else { return reply }
            let text = Self.cause(of: reported)
            // After a failover, the address may lead to the new server.
            if ["READONLY", "LOADING", "MASTERDOWN"].contains(where: text.hasPrefix) {
                drop(number, ifOlderThan: .seconds(1))
            }
            throw FleetError.refused(text)
        }
    }

    /// The error of the command that failed. Redis 5 and 6 report one in a script as
    /// `ERR Error running script (call to f_1): @user_script:5: @user_script: 5: -READONLY`.
    private static func cause(of text: String) -> String {
        guard text.hasPrefix("ERR Error running script"), let mark = text.firstRange(of: ": -") else { return text }
        return String(text[mark.upperBound...])
    }

    private func current() async throws -> (any RedisConnection, number: Int, isNew: Bool) {
        let (open, task, number, isNew) = state.withLock { state in
            if let opening = state.opening { return (state.connection, opening, state.count, false) }
            let task = Task { [connect] in try await connect() }
            (state.opening, state.openedAt) = (task, clock.now())
            state.count += 1
            return (nil, task, state.count, true)
        }
        if let open { return (open, number, isNew) }
        do {
            let connection = try await task.valueUnlessCancelled
            state.withLock { state in
                if state.opening == task { state.connection = connection }
            }
            return (connection, number, isNew)
        } catch {
            drop(number)
            throw error
        }
    }

    /// Closes a connection, so that the next command opens another one.
    private func drop(_ number: Int, ifOlderThan age: Duration = .zero) {
        let now = clock.now()
        close { $0.count == number && $0.openedAt.duration(to: now) >= age }
    }

    private func close(if isMeant: (State) -> Bool = { _ in true }) {
        let old = state.withLock { state -> Task<any RedisConnection, any Error>? in
            guard isMeant(state) else { return nil }
            state.connection = nil
            return state.opening.take()
        }
        guard let old else { return }
        Task {
            old.cancel()
            if let connection = try? await old.value { connection.close() }
        }
    }
}
