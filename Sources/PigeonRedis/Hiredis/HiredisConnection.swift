#if Redis
    internal import CHiredis
    internal import Foundation
    internal import PigeonBase
    internal import PigeonCore
    internal import PigeonFleet

    /// A connection of hiredis, whose functions are called on one thread.
    final class HiredisConnection: RedisConnection, @unchecked Sendable {  // the context is used by the thread only
        private typealias Context = UnsafeMutablePointer<redisAsyncContext>

        private let thread = HiredisThread.shared
        private let tls: TLSContext?
        /// The host that the server's certificate must be for.
        private let name: String
        private var context: Context?
        /// The state of TLS, which ends with the context.
        private var session: OpaquePointer?
        /// The error of commands once the connection has ended.
        private var end = FleetError.unreachable
        fileprivate var wantsToRead = false
        fileprivate var wantsToWrite = false
        /// True once the socket could be written to.
        fileprivate var isOpen = false

        /// Opens a connection. Does not wait until it is open: commands wait for that.
        ///
        /// - Parameters:
        ///   - host: A numeric address.
        ///   - name: The host that the server's certificate must be for.
        ///   - tls: `nil` for a connection that is not encrypted.
        init(host: String, port: Int, name: String, _ tls: TLSContext?) {
            (self.name, self.tls) = (name, tls)
            thread.run { self.open(host, port) }
        }

        private func open(_ host: String, _ port: Int) {
            guard let context = redisAsyncConnect(host, Int32(clamping: port)) else { return }
            guard context.pointee.err == 0 else { return redisAsyncFree(context) }
            let this = Unmanaged.passRetained(self).toOpaque()
            context.pointee.ev.data = this
            context.pointee.ev.addRead = { HiredisConnection.of($0)?.wantsToRead = true }
            context.pointee.ev.delRead = { HiredisConnection.of($0)?.wantsToRead = false }
            context.pointee.ev.addWrite = { HiredisConnection.of($0)?.wantsToWrite = true }
            context.pointee.ev.delWrite = { HiredisConnection.of($0)?.wantsToWrite = false }
            // Called once, when hiredis frees the context.
            context.pointee.ev.cleanup = { data in
                guard let data else { return }
                let connection = Unmanaged<HiredisConnection>.fromOpaque(data).takeRetainedValue()
                if let problem = connection.session.flatMap(TLSContext.problem) { connection.end = .refused(problem) }
                (connection.context, connection.session) = (nil, nil)
                connection.thread.remove(connection)
            }
            self.context = context
            thread.add(self)
            // The hook that makes hiredis watch for the end of the connecting.
            redisAsyncSetConnectCallback(context) { _, _ in }
        }

        private static func of(_ data: UnsafeMutableRawPointer?) -> HiredisConnection? {
            data.map { Unmanaged<HiredisConnection>.fromOpaque($0).takeUnretainedValue() }
        }

        func send(_ command: RedisCommand) async throws -> RedisReply {
            let reply = SharedOneShot<RedisReply>()
            thread.run { self.send(command, for: reply) }
            return try await reply.value(onCancel: .resolves)
        }

        private func send(_ command: RedisCommand, for pending: SharedOneShot<RedisReply>) {
            guard let context else { return _ = pending.resolve(.failure(end)) }
            let data = Unmanaged.passRetained(Sent(pending, self)).toOpaque()
            // One buffer, because the arguments may be of any length.
            let bytes = command.arguments.flatMap { $0 }
            let lengths = command.arguments.map(\.count)
            let status = bytes.withUnsafeBytes { bytes -> Int32 in
                var start = 0
                var arguments = lengths.map { length -> UnsafePointer<CChar>? in
                    defer { start += length }
                    guard let base = bytes.baseAddress else { return nil }
                    return base.advanced(by: start).assumingMemoryBound(to: CChar.self)
                }
                return redisAsyncCommandArgv(
                    context,
                    { _, reply, data in
                        guard let data else { return }
                        let sent = Unmanaged<Sent>.fromOpaque(data).takeRetainedValue()
                        let reply = reply.map { RedisReply($0.assumingMemoryBound(to: redisReply.self)) }
                        // There is no reply if the connection has ended.
                        sent.reply.resolve(reply.map(Result.success) ?? .failure(sent.connection.end))
                    }, data, Int32(clamping: lengths.count), &arguments, lengths)
            }
            guard status != REDIS_OK else { return }
            Unmanaged<Sent>.fromOpaque(data).release()
            pending.resolve(.failure(FleetError.unreachable))
        }

        /// A command without a reply yet. Retains the connection, because hiredis may report the connection's end here.
        private final class Sent {
            let reply: SharedOneShot<RedisReply>
            let connection: HiredisConnection

            init(_ reply: SharedOneShot<RedisReply>, _ connection: HiredisConnection) {
                (self.reply, self.connection) = (reply, connection)
            }
        }

        func close() {
            thread.run {
                // Fails the commands that wait for a reply.
                if let context = self.context { redisAsyncFree(context) }
            }
        }

        // MARK: On the thread

        /// What the thread waits for. `nil` once the connection has ended.
        var interest: pollfd? {
            guard let context else { return nil }
            let events = (wantsToRead ? POLLIN : 0) | (wantsToWrite ? POLLOUT : 0)
            return pollfd(fd: context.pointee.c.fd, events: Int16(events), revents: 0)
        }

        func handle(_ events: Int16) {
            let failed = Int16(POLLERR | POLLHUP | POLLNVAL)
            if !isOpen, events & Int16(POLLOUT) != 0 {
                isOpen = true
                // Only now, because TLS needs a socket that is connected.
                if let tls, let context, events & failed == 0 {
                    do { session = try tls.begin(&context.pointee.c, with: name) } catch {
                        end = error
                        return redisAsyncFree(context)
                    }
                }
            }
            if session != nil { TLSContext.forgetErrors() }
            // Handling may free the context.
            if wantsToWrite, events & (Int16(POLLOUT) | failed) != 0, let context { redisAsyncHandleWrite(context) }
            if wantsToRead, events & (Int16(POLLIN) | failed) != 0, let context { read(context) }
        }

        /// Reads replies, with a callback for one more than there are commands. It ends the connection if that one
        /// arrives. Without a callback for a reply, hiredis ends the process.
        private func read(_ context: Context) {
            guard let memory = malloc(MemoryLayout<redisCallback>.stride) else { return redisAsyncFree(context) }
            let extra = memory.bindMemory(to: redisCallback.self, capacity: 1)
            extra.initialize(to: redisCallback())
            extra.pointee.fn = { context, reply, _ in
                // hiredis frees the context once this has returned, and handles no further reply.
                if reply != nil { redisAsyncFree(context) }
            }
            let last = context.pointee.replies.tail
            if let last { last.pointee.next = extra } else { context.pointee.replies.head = extra }
            context.pointee.replies.tail = extra
            redisAsyncHandleRead(context)
            // hiredis has freed the callbacks that it called, and with the context all of them.
            guard self.context != nil else { return }
            if context.pointee.replies.head == extra {
                (context.pointee.replies.head, context.pointee.replies.tail) = (nil, nil)
            } else {
                last?.pointee.next = nil
                context.pointee.replies.tail = last
            }
            free(memory)
        }
    }

    extension RedisReply {
        /// Copies a reply of hiredis, which frees its own.
        fileprivate init(_ reply: UnsafePointer<redisReply>) {
            let reply = reply.pointee
            let bytes = UnsafeRawBufferPointer(start: reply.str, count: Int(reply.len))
            switch reply.type {
            case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .string(Array(bytes))
            case REDIS_REPLY_INTEGER: self = RedisReply(number: reply.integer)
            case REDIS_REPLY_ERROR: self = .error(String(decoding: bytes, as: UTF8.self))
            case REDIS_REPLY_ARRAY:
                let elements = UnsafeBufferPointer(start: reply.element, count: Int(reply.elements))
                self = .array(elements.map { $0.map { RedisReply($0) } ?? .null })
            default: self = .null
            }
        }
    }

    /// The thread on which all connections of the process are used.
    final class HiredisThread: Sendable {
        static let shared = HiredisThread()

        private let jobs = Locked<[@Sendable () -> Void]>([])
        /// Wakes the thread: its end to read from, and its end to write to.
        private let wake: (Int32, Int32)
        nonisolated(unsafe) private var connections: [HiredisConnection] = []  // used by the thread only

        private init() {
            var ends: [Int32] = [-1, -1]
            _ = pipe(&ends)
            for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
            wake = (ends[0], ends[1])
            let thread = Thread { [self] in
                // A write to a server that has gone must not end the process.
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGPIPE)
                pthread_sigmask(SIG_BLOCK, &signals, nil)
                while true { turn() }
            }
            thread.name = "PigeonRedis"
            thread.start()
        }

        func run(_ job: @escaping @Sendable () -> Void) {
            let isFirst = jobs.withLock { jobs in
                jobs.append(job)
                return jobs.count == 1
            }
            guard isFirst else { return }
            var byte: UInt8 = 0
            _ = write(wake.1, &byte, 1)
        }

        func add(_ connection: HiredisConnection) {
            connections.append(connection)
        }

        func remove(_ connection: HiredisConnection) {
            connections.removeAll { $0 === connection }
        }

        /// Waits until there is work, and performs it.
        private func turn() {
            let now = connections
            var polled = [pollfd(fd: wake.0, events: Int16(POLLIN), revents: 0)]
            polled += now.map { $0.interest ?? pollfd(fd: -1, events: 0, revents: 0) }
            guard poll(&polled, nfds_t(polled.count), -1) > 0 else { return }
            for (connection, state) in zip(now, polled.dropFirst()) where state.revents != 0 {
                connection.handle(state.revents)
            }
            guard polled[0].revents != 0 else { return }
            var bytes = [UInt8](repeating: 0, count: 64)
            _ = read(wake.0, &bytes, bytes.count)
            let jobs = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            for job in jobs { job() }
            // Commands that were added are written at once, which saves a turn.
            for connection in connections where connection.isOpen && connection.wantsToWrite {
                connection.handle(Int16(POLLOUT))
            }
        }
    }
#endif
