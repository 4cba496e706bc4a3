#if RedisTLS && (os(Linux) || os(macOS))
    import Foundation
    import PigeonCore
    import PigeonFleet
    import PigeonRedis
    import TestSupport
    import Testing

    /// With this trait, all other tests of this module use TLS too.
    @Suite("Redis over TLS", .enabled(if: RedisServer.program != nil), .timeLimit(.minutes(2)))
    struct RedisTLSTests {
        private let key = QueryKey("stock", 1)

        /// The first error of a store. `nil` if it answers.
        private func problem(_ store: RedisStore) async -> FleetError? {
            do {
                _ = try await store.value(for: key)
                return nil
            } catch {
                return error as? FleetError
            }
        }

        @Test("the port of TLS is used by TLS only", .rule("A72"))
        func encrypted() async throws {
            let server = try await RedisServer()
            #expect(await problem(try RedisStore(server.address)) == nil)
            let plain = server.address.replacingOccurrences(of: "rediss", with: "redis")
            #expect(await problem(try RedisStore(plain)) == .unreachable)
        }

        @Test("a certificate of an authority that is not trusted is refused, and the error says so", .rule("A72"))
        func authority() async throws {
            let server = try await RedisServer()
            let other = try Certificate(for: "IP:127.0.0.1")
            defer { other.remove() }
            let store = try RedisStore(server.address, tls: RedisTLS(authorities: other.file))
            let found = await problem(store)
            #expect(found == .refused("certificate: self-signed certificate"))
        }

        @Test("a certificate for another host is refused, by name and by address", .rule("A72"))
        func host() async throws {
            let named = try Certificate(for: "DNS:localhost")
            defer { named.remove() }
            let server = try await RedisServer(["--tls-cert-file", named.file, "--tls-key-file", named.file])
            let tls = RedisTLS(authorities: named.file)
            #expect(await problem(try RedisStore("rediss://localhost:\(server.securePort)", tls: tls)) == nil)
            let byAddress = try RedisStore("rediss://127.0.0.1:\(server.securePort)", tls: tls)
            let foundByAddress = await problem(byAddress)
            #expect(foundByAddress == .refused("certificate: IP address mismatch"))
            let ordinary = try await RedisServer()
            let byName = try RedisStore("rediss://localhost:\(ordinary.securePort)")
            let foundByName = await problem(byName)
            #expect(foundByName == .refused("certificate: hostname mismatch"))
        }

        @Test("a server can demand a certificate of the program", .rule("A72"))
        func client() async throws {
            let server = try await RedisServer(["--tls-auth-clients", "yes"])
            let own = try #require(RedisServer.certificate)
            #expect(await problem(try RedisStore(server.address)) == .unreachable)
            let store = try RedisStore(server.address, tls: RedisTLS(certificate: own.file))
            #expect(await problem(store) == nil)
        }

        @Test("a file that cannot be used is named when the store is created", .rule("A72"))
        func files() throws {
            let own = try #require(RedisServer.certificate)
            let missing = "/nowhere/authority.pem"
            let unusable = [
                RedisTLS(authorities: missing), RedisTLS(certificate: missing),
                RedisTLS(certificate: own.file, key: missing),
            ]
            for tls in unusable {
                #expect(throws: RedisAddressError.unusable(file: missing)) { try RedisStore("rediss://host", tls: tls) }
            }
            let foreign = try Certificate(for: "DNS:elsewhere")
            defer { foreign.remove() }
            #expect(throws: RedisAddressError.unusable(file: foreign.file)) {
                try RedisStore("rediss://host", tls: RedisTLS(certificate: own.file, key: foreign.file))
            }
        }

        @Test("a value of many records of TLS arrives whole", .rule("A72"))
        func large() async throws {
            let server = try await RedisServer()
            let store = try RedisStore(server.address)
            let clients = (0..<2).map { _ in QueryClient(fleet: Fleet.Setup(store: store, callLimit: .seconds(20))) }
            await until { clients.allSatisfy { $0.fleet?.isConnected ?? false } }
            let text = String(decoding: (0..<900_000).map { UInt8(97 + $0 % 23) }, as: UTF8.self)
            let definition = QueryDefinition("large") { _ in text }.staleAfter(.seconds(60)).shared()
            let other = QueryDefinition("large") { _ in "asked again" }.staleAfter(.seconds(60)).shared()
            #expect(try await clients[0].fetch(definition) == text)
            #expect(try await clients[1].fetch(other) == text)
        }

        @Test("a connection that fails leaves the others alone", .rule("A76"))
        func otherConnections() async throws {
            let (server, other) = (try await RedisServer(), try Certificate(for: "IP:127.0.0.1"))
            defer { other.remove() }
            let good = try RedisStore(server.address)
            let ask = FleetAsk(
                holder: "a", number: 1, needed: 1, isForced: false, time: .seconds(60), acceptedFailureAge: .zero)
            _ = try await good.lease(key, for: ask)
            let value = FleetValue(
                record: QueryRecord(data: Data(repeating: 7, count: 900_000), savedAt: Date()), age: .zero,
                position: FleetPosition(epoch: "a", number: 0))
            #expect(try await good.end(key, for: ask, with: .value(value, keepFor: .seconds(60))))
            let before = try server.connections()
            for _ in 0..<20 {
                let wrong = try RedisStore(server.address, tls: RedisTLS(authorities: other.file))
                #expect(await problem(wrong) != nil)
                #expect(try await good.value(for: key)?.record.data.count == 900_000)
            }
            // Only the one that looks: the good store has not opened another one.
            let new = try server.connections() - before
            #expect(new == 1)
        }
    }

    extension RedisServer {
        /// The number of connections with which the server has come to terms.
        fileprivate func connections() throws -> Int {
            let (process, output) = (Process(), Pipe())
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["redis-cli", "-p", "\(port)", "INFO", "stats"]
            process.standardOutput = output
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let line = text.split(separator: "\r\n").first { $0.hasPrefix("total_connections_received:") }
            return line.flatMap { Int($0.drop { $0 != ":" }.dropFirst()) } ?? 0
        }
    }
#endif
