#if Redis
    import PigeonCore
    import PigeonFleet
    import PigeonRedis
    import PigeonTesting
    import TestSupport
    import Testing

    @Suite("Article: A fleet")
    struct AFleetTests {
        private struct Price: Codable, Sendable, Equatable {
            var cents = 0
        }

        private struct Shop: Sendable {
            func price(_ sku: String) async throws -> Price { Price(cents: sku.count) }
        }

        /// Stands for any client library.
        private enum OtherLibrary {
            enum Value: Sendable {
                case null
                case number(Int)
                case bytes([UInt8])
                case list([Value])
                case error(String)
            }

            struct Connection: Sendable {
                func send(_ command: [[UInt8]]) async throws -> Value {
                    switch String(decoding: command[0], as: UTF8.self) {
                    case "TIME": .list([.bytes(Array("1".utf8)), .number(0)])
                    case "GET": .null
                    default: .error("ERR unknown command")
                    }
                }

                func close() {}
            }

            static func connect() async throws -> Connection { Connection() }
        }

        @Test("a definition is shared by the fleet of the client")
        func shares() async throws {
            // There is no such server, so each client asks the origin.
            let (price, client) = try Snippets.share("abc", Shop())
            #expect(client.fleet?.isConnected == false)
            #expect(price.key == ["prices", "abc"])
        }

        @Test("a member that has caught up reads what another one was told", .rule("K22"))
        func catchesUp() async throws {
            let lab = QueryLab()
            let store = InMemoryFleetStore(clock: lab.clock)
            let members = (0..<2).map { _ in
                QueryClient(fleet: Fleet.Setup(store: store), environment: lab.environment)
            }
            let cents = Locked(1)
            let price = QueryDefinition<Price>("prices", "a") { _ in Price(cents: cents.withLock { $0 }) }
                .staleAfter(.never).shared()
            lab.settle()
            #expect(lab.start { try await members[1].fetch(price) }.value == Price(cents: 1))
            cents.withLock { $0 = 2 }
            let current = lab.start {
                await members[0].invalidate(price)
                return try await Snippets.catchUp(members[1], price)
            }
            lab.settle()
            #expect(current.value == Price(cents: 2))
        }

        @Test("another client library takes a type of a few lines")
        func otherLibrary() async throws {
            let store = Snippets.other()
            #expect(try await store.value(for: "a") == nil)
            await #expect(throws: FleetError.refused("ERR unknown command")) {
                try await store.publish([.stale(.all)], by: "me")
            }
        }

        @Test("a store over TLS needs its files, or the trait")
        func encrypted() {
            #expect(throws: RedisAddressError.self) { try Snippets.encrypted() }
        }

        @Test("a store in memory has members, and faults")
        func inMemory() {
            let (shared, members) = Snippets.inMemory()
            #expect(shared.fault == .unreachable)
            #expect(members.count == 3)
        }

        private enum Snippets {
            static func catchUp(_ client: QueryClient, _ price: QueryDefinition<Price>) async throws -> Price {
                await client.fleet?.catchUp()
                let current = try await client.fetch(price)
                return current
            }

            static func share(_ sku: String, _ shop: Shop) throws -> (QueryDefinition<Price>, QueryClient) {
                let store = try RedisStore("redis://10.0.0.5", namespace: "shop")
                let client = QueryClient(fleet: Fleet.Setup(store: store))
                let price = QueryDefinition<Price>("prices", sku) { _ in try await shop.price(sku) }
                    .staleAfter(.seconds(60))
                    .rememberFailures(for: .seconds(5))
                    .shared()
                return (price, client)
            }

            static func encrypted() throws -> RedisStore {
                let tls = RedisTLS(authorities: "/etc/shop/authority.pem", certificate: "/etc/shop/own.pem")
                let store = try RedisStore("rediss://redis.internal", namespace: "shop", tls: tls)
                return store
            }

            struct OtherConnection: RedisConnection {
                let connection: OtherLibrary.Connection

                func send(_ command: RedisCommand) async throws -> RedisReply {
                    reply(try await connection.send(command.arguments))
                }

                func close() { connection.close() }

                private func reply(_ value: OtherLibrary.Value) -> RedisReply {
                    switch value {
                    case .null: .null
                    case .number(let number): .integer(number)
                    case .bytes(let bytes): .string(bytes)
                    case .list(let values): .array(values.map(reply))
                    case .error(let text): .error(text)
                    }
                }
            }

            static func other() -> RedisStore {
                let other = RedisStore(namespace: "shop") {
                    OtherConnection(connection: try await OtherLibrary.connect())
                }
                return other
            }

            static func inMemory() -> (InMemoryFleetStore, [QueryClient]) {
                let shared = InMemoryFleetStore()
                let members = (1...3).map { _ in QueryClient(fleet: Fleet.Setup(store: shared)) }
                shared.fault = .unreachable
                return (shared, members)
            }
        }
    }
#endif
