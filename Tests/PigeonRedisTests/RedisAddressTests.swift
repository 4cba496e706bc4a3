#if Redis && (os(Linux) || os(macOS))
    import PigeonCore
    import PigeonFleet
    import TestSupport
    import Testing

    @testable import PigeonRedis

    @Suite("The address of a Redis server", .timeLimit(.minutes(2)))
    struct RedisAddressTests {
        @Test("each numeric address of a host is found once", .rule("A76"))
        func numericHosts() async throws {
            let address = try RedisAddress("redis://127.0.0.1", RedisTLS())
            let hosts = try await address.numericHosts()
            #expect(hosts == ["127.0.0.1"])
        }

        #if os(Linux)
            @Test(
                "a host is reached if one of its addresses can be, and is unreachable otherwise", .rule("A76"),
                .enabled(if: RedisServer.program != nil))
            func nextAddress() async throws {
                let server = try await RedisServer()
                let address = try RedisAddress(server.address, RedisTLS())
                for _ in 0..<2 {
                    let connection = try await address.connect(to: ["127.0.0.2", "127.0.0.1"])
                    let reply = try await connection.send(["GET", "a"])
                    #expect(reply == .null)
                    connection.close()
                }
                await #expect(throws: FleetError.unreachable) {
                    _ = try await address.connect(to: ["127.0.0.2", "127.0.0.3"])
                }
            }
        #endif
    }
#endif
