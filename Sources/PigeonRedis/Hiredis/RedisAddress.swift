#if Redis
    internal import Foundation
    internal import PigeonBase
    internal import PigeonCore
    internal import PigeonFleet

    extension RedisStore {
        /// Creates a store in a Redis or Valkey server, over hiredis.
        ///
        /// - Parameters:
        ///   - address: The server: `redis://host`, or `redis://user:password@host:6379/0` with the number of a database.
        ///     With `rediss://`, the connections use TLS.
        ///   - namespace: The beginning of all keys. Programs with different data need different ones.
        ///   - limits: How much the store keeps.
        ///   - tls: What is trusted, if the address demands TLS.
        /// - Throws: ``RedisAddressError`` if the address is none, or a file for TLS cannot be used.
        public convenience init(
            _ address: String, namespace: String = "pigeon", limits: Limits = Limits(), tls: RedisTLS = RedisTLS()
        ) throws {
            let address = try RedisAddress(address, tls)
            self.init(namespace: namespace, limits: limits) { try await address.connect() }
        }
    }

    /// An address that is not that of a Redis server. Does not contain the address, which may have a password in it.
    public enum RedisAddressError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The address has another form than `redis://user:password@host:port/database`.
        case malformed
        /// The address demands TLS, which needs the trait `RedisTLS`, or another client library.
        case needsTLS
        /// A file of ``RedisTLS`` cannot be read, or has no usable certificate or key.
        case unusable(file: String)

        /// Says what an address must be.
        public var description: String {
            switch self {
            case .malformed: "an address of Redis has the form redis://user:password@host:port/database"
            case .needsTLS: "rediss:// needs the trait RedisTLS"
            case .unusable(let file): "\(file) has no certificate or key that can be used"
            }
        }
    }

    struct RedisAddress: Sendable {
        let host: String
        let port: Int
        private let tls: TLSContext?
        private let login: [String]
        private let database: Int
        /// The number of the numeric address to begin with. Grows with each that cannot be used.
        private let first = Cursor()

        private final class Cursor: Sendable {
            let number = Locked(0)
        }

        init(_ text: String, _ settings: RedisTLS) throws(RedisAddressError) {
            guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased() else {
                throw .malformed
            }
            let isSecure = scheme == "rediss" || scheme == "valkeys"
            let path = parts.path.drop { $0 == "/" }
            guard isSecure || scheme == "redis" || scheme == "valkey", let host = parts.host, !host.isEmpty,
                let database = path.isEmpty ? 0 : Int(path), database >= 0, (1...65535).contains(parts.port ?? 6379)
            else { throw .malformed }
            // Hosts in brackets are IPv6 addresses.
            self.host = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
            port = parts.port ?? 6379
            self.database = database
            login = [parts.user, parts.password].compactMap { $0 }.filter { !$0.isEmpty }
            tls = isSecure ? try TLSContext(settings) : nil
        }

        /// Opens a connection, and signs in.
        func connect() async throws -> any RedisConnection {
            try await connect(to: numericHosts())
        }

        func connect(to hosts: [String]) async throws -> any RedisConnection {
            for _ in hosts {
                let number = first.number.withLock { $0 }
                do {
                    return try await open(hosts[number % hosts.count], waits: hosts.count > 1)
                } catch {
                    first.number.withLock { $0 = number + 1 }
                    guard case FleetError.unreachable = error else { throw error }
                }
            }
            throw FleetError.unreachable
        }

        /// - Parameter waits: True to wait until the connection is open, also if nothing else does.
        private func open(_ address: String, waits: Bool) async throws -> any RedisConnection {
            let connection = HiredisConnection(host: address, port: port, name: host, tls)
            do {
                // An error that the server replies is an answer, too.
                if waits { _ = try await connection.send(["PING"]) }
                if !login.isEmpty { try await connection.require(["AUTH"] + login) }
                if database != 0 { try await connection.require(["SELECT", "\(database)"]) }
                return connection
            } catch {
                connection.close()
                throw error
            }
        }
    }

    extension RedisAddress {
        /// The numeric addresses of the host. Looks names up on a thread of its own, because that may take long.
        func numericHosts() async throws -> [String] {
            let answer = SharedOneShot<[String]>()
            Thread.detachNewThread { [host] in
                var found: UnsafeMutablePointer<addrinfo>?
                defer { freeaddrinfo(found) }
                var hosts: [String] = []
                var next = getaddrinfo(host, nil, nil, &found) == 0 ? found : nil
                while let info = next?.pointee {
                    next = info.ai_next
                    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                    guard
                        getnameinfo(
                            info.ai_addr, info.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0
                    else { continue }
                    let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                    // Each is listed once for each type of socket.
                    if !hosts.contains(text) { hosts.append(text) }
                }
                answer.resolve(hosts.isEmpty ? .failure(FleetError.unreachable) : .success(hosts))
            }
            return try await answer.value(onCancel: .resolves)
        }
    }

    extension RedisConnection {
        /// Sends a command that must not fail.
        ///
        /// - Throws: ``FleetError/refused(_:)`` with the first word of the reply. A server may repeat the command in the rest,
        ///   and with it a password.
        fileprivate func require(_ command: [String]) async throws {
            guard case .error(let text) = try await send(RedisCommand(command.map { Array($0.utf8) })) else { return }
            throw FleetError.refused(text.split(separator: " ").first.map(String.init) ?? "")
        }
    }
#endif
