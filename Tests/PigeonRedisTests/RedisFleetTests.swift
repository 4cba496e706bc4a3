#if Redis && (os(Linux) || os(macOS))
    import Foundation
    import PigeonCore
    import PigeonFleet
    import PigeonRedis
    import TestSupport
    import Testing

    @Suite("A fleet over Redis", .enabled(if: RedisServer.program != nil), .timeLimit(.minutes(2)))
    struct RedisFleetTests {
        /// Counts the requests of all members, and answers with their number.
        private let requests = Recorder<String>()

        /// Limits that a busy machine does not exceed.
        private func setup(_ store: RedisStore, bound: Duration = .seconds(60)) -> Fleet.Setup {
            Fleet.Setup(store: store, staleBound: bound, callLimit: .seconds(20), leaseTime: .seconds(60))
        }

        private func member(_ server: RedisServer, bound: Duration = .seconds(60)) async throws -> QueryClient {
            let store = try RedisStore(server.address, namespace: "test")
            let client = QueryClient(fleet: setup(store, bound: bound))
            await until { client.fleet?.isConnected ?? false }
            return client
        }

        private func stock(_ id: Int = 1, delay: Duration = .zero) -> QueryDefinition<Int> {
            QueryDefinition("stock", id) { [requests] context in
                requests.append(context.key.queryKeyValue)
                if delay > .zero { try await Task.sleep(for: delay) }
                return requests.all.count
            }
            .staleAfter(.seconds(60)).tagged("shop").shared()
        }

        @Test("values are shared, and one member fetches for all", .rule("A72", "A73"))
        func shares() async throws {
            let server = try await RedisServer()
            let members = [try await member(server), try await member(server), try await member(server)]
            let definition = stock(delay: .milliseconds(100))
            try await withThrowingTaskGroup(of: Int.self) { group in
                for client in members { group.addTask { try await client.fetch(definition) } }
                for try await value in group { #expect(value == 1) }
            }
            #expect(requests.all.count == 1)
            #expect(try await member(server).fetch(definition) == 1)
            #expect(requests.all.count == 1)
        }

        @Test(
            "an invalidation, a write and a removal reach the others", .rule("A74"), arguments: ["key", "path", "tag"])
        func invalidates(by kind: String) async throws {
            let server = try await RedisServer()
            let (one, other) = (try await member(server), try await member(server))
            let definition = stock()
            #expect(try await one.fetch(definition) == 1)
            let observer = other.observe(definition)
            await until { observer.snapshot.value == 1 }
            let filters: [String: KeyFilter] = ["key": .key(definition.key), "path": "stock", "tag": .tag("shop")]
            one.invalidateWithoutWaiting(filters[kind] ?? .all)
            await until { observer.snapshot.value == 2 }
            // Returns once the fetch has ended for all: during it, a write is only an invalidation.
            #expect(try await member(server).fetch(definition) == 2)
            try one.set(70, for: definition)
            await until { observer.snapshot.value == 70 }
            #expect(requests.all.count == 2)
            one.remove(definition)
            // An observed entry stays, without a value.
            await until { observer.snapshot.value == nil }
            #expect(try await member(server).fetch(definition) == 3)
        }

        @Test("with the server killed, members ask the origin, and share again when it is back, empty", .rule("A76"))
        func killed() async throws {
            let server = try await RedisServer()
            let (one, other) = (try await member(server, bound: .seconds(2)), try await member(server))
            #expect(try await one.fetch(stock()) == 1)
            #expect(try await other.fetch(stock()) == 1)
            server.kill()
            await until { one.fleet?.isConnected == false && other.fleet?.isConnected == false }
            #expect(try await one.fetch(stock(2)) == 2)
            await until { one.snapshot(of: stock()).isStale }
            try await server.start()
            await until { one.fleet?.isConnected == true && other.fleet?.isConnected == true }
            await until { other.snapshot(of: stock()).isStale }
            let value = try await other.fetch(stock())
            #expect(try await one.fetch(stock()) == value)
        }

        @Test("what a paused server has told the others is made up for", .rule("A75"))
        func paused() async throws {
            let server = try await RedisServer()
            let (one, other) = (
                try await member(server, bound: .seconds(4)), try await member(server, bound: .seconds(4))
            )
            #expect(try await one.fetch(stock()) == 1)
            #expect(try await other.fetch(stock()) == 1)
            server.signal(SIGSTOP)
            await until { one.fleet?.isConnected == false && other.fleet?.isConnected == false }
            one.invalidateWithoutWaiting(stock())
            #expect(try await one.fetch(stock()) == 2)
            server.signal(SIGCONT)
            await until { other.snapshot(of: stock()).isStale }
        }

        @Test("a full server is read, and costs no member anything else", .rule("A76"))
        func full() async throws {
            let server = try await RedisServer(["--maxmemory", "1", "--maxmemory-policy", "noeviction"])
            let client = try await member(server)
            #expect(try await client.fetch(stock()) == 1)
            #expect(try await client.fetch(stock(2)) == 2)
            #expect(client.fleet?.isConnected == true)
            #expect(try await RedisStore(server.address, namespace: "test").value(for: stock().key) == nil)
        }

        @Test("a password is needed, and never shown", .rule("A76"))
        func password() async throws {
            let server = try await RedisServer(["--requirepass", "hush"])
            let address = server.address.replacingOccurrences(of: "//", with: "//default:hush@")
            let client = QueryClient(fleet: Fleet.Setup(store: try RedisStore(address)))
            await until { client.fleet?.isConnected ?? false }
            let wrong = try RedisStore(address.replacingOccurrences(of: "hush", with: "hushhush"))
            do {
                _ = try await wrong.value(for: "a")
                Issue.record("a wrong password is accepted")
            } catch {
                #expect(!"\(error)".contains("hush"))
                #expect("\(error)".contains("WRONGPASS"))
            }
            #expect(throws: RedisAddressError.malformed) { try RedisStore("http://hush@host") }
            #if !RedisTLS
                #expect(throws: RedisAddressError.needsTLS) { try RedisStore("rediss://host") }
            #endif
            #expect(throws: RedisAddressError.malformed) { try RedisStore("redis://host:6379/x") }
        }

        @Test("a fetch that begins with the client is shared", .rule("A73"))
        func firstFetch() async throws {
            let server = try await RedisServer()
            let clients = try (0..<3).map { _ in
                QueryClient(fleet: setup(try RedisStore(server.address, namespace: "test")))
            }
            let definition = stock(delay: .milliseconds(50))
            try await withThrowingTaskGroup(of: Int.self) { group in
                for client in clients { group.addTask { try await client.fetch(definition) } }
                for try await value in group { #expect(value == 1) }
            }
            #expect(requests.all.count == 1)
        }

        @Test("a server that was started again from an old copy of its data is another one", .rule("A75"))
        func restored() async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let server = try await RedisServer(["--dir", folder.path])
            let (one, other) = (try await member(server), try await member(server))
            #expect(try await one.fetch(stock()) == 1)
            #expect(try await other.fetch(stock()) == 1)
            let store = try RedisStore(server.address, namespace: "test")
            await until { (try? await store.value(for: stock().key)) != .some(nil) }
            try server.run("SAVE")
            other.invalidateWithoutWaiting(stock(), refetch: .none)
            await until { one.snapshot(of: stock()).isStale }
            server.kill()
            try await server.start()
            #expect(try await store.value(for: stock().key) != nil)
            // The copy has the value, and not that it was invalidated.
            #expect(try await one.fetch(stock()) > 1)
            #expect(try await member(server).fetch(stock()) > 1)
        }

        @Test("many keys at once are all shared", .rule("A73"))
        func many() async throws {
            let server = try await RedisServer()
            let client = try await member(server)
            let count = 1000
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<32 {
                    group.addTask {
                        for id in stride(from: lane, to: count, by: 32) { _ = try await client.fetch(stock(id)) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(client.fleet?.counts.led == count)
            let store = try RedisStore(server.address, namespace: "test")
            await until { (try? await store.value(for: stock(count - 1).key)) != .some(nil) }
            let other = try await member(server)
            for id in 0..<count { _ = try await other.fetch(stock(id)) }
            #expect(other.fleet?.counts.found == count)
        }

        @Test("records of a removed path are deleted, and of no other", .rule("A74"))
        func deletes() async throws {
            let server = try await RedisServer()
            let client = try await member(server)
            let store = try RedisStore(server.address, namespace: "test")
            let other = QueryDefinition("stocks", 1) { _ in 7 }.staleAfter(.seconds(60)).shared()
            for id in 1...20 { _ = try await client.fetch(stock(id)) }
            _ = try await client.fetch(other)
            await until { (try? await store.value(for: other.key)) != .some(nil) }
            client.remove(.path("stock"))
            try await until {
                for id in 1...20 where try await store.value(for: stock(id).key) != nil { return false }
                return true
            }
            #expect(try await store.value(for: other.key) != nil)
        }

        @Test(
            "what was removed is shown by none, also if the store has not found it", .rule("A74"),
            arguments: ["tag", "path", "key"])
        func removedIsNotShown(by kind: String) async throws {
            let server = try await RedisServer()
            let one = try await member(server)
            #expect(try await one.fetch(stock()) == 1)
            let store = try RedisStore(server.address, namespace: "test")
            await until { (try? await store.value(for: stock().key)).flatMap { $0 } != nil }
            let filters: [String: KeyFilter] = ["key": .key(stock().key), "path": "stock", "tag": .tag("shop")]
            one.remove(filters[kind] ?? .all)
            _ = await one.flush()
            let other = try await member(server)
            let observer = other.observe(stock(delay: .seconds(1)))
            await until { requests.all.count == 2 }
            #expect(observer.snapshot.value == nil)
            await until { observer.snapshot.value == 2 }
        }

        @Test("a lease with an interval is not given again before its time", .rule("A86"))
        func interval() async throws {
            let server = try await RedisServer()
            let store = try RedisStore(server.address)
            func ask(_ holder: String, isForced: Bool = false, interval: Duration) -> FleetAsk {
                FleetAsk(
                    holder: holder, number: 1, needed: 1, isForced: isForced, time: .seconds(60),
                    acceptedFailureAge: .zero, interval: interval)
            }
            let first = ask("a", interval: .seconds(50))
            #expect(try await store.lease("users", for: first) == .taken(newest: nil))
            // The connection ended before the reply.
            #expect(try await store.lease("users", for: first) == .taken(newest: nil))
            #expect(try await store.lease("users", for: ask("b", interval: .seconds(50))) == .held)
            #expect(try await store.end("users", for: first, with: .nothing))
            for isForced in [false, true] {
                guard
                    case .early(nil, let rest) = try await store.lease(
                        "users", for: ask("b", isForced: isForced, interval: .seconds(50)))
                else {
                    Issue.record("the lease was given")
                    return
                }
                #expect((.seconds(1)...Duration.seconds(50)).contains(rest))
            }
            // A write asks nobody.
            #expect(try await store.lease("users", for: ask("c", interval: .zero)) == .taken(newest: nil))
            #expect(try await store.lease("other", for: ask("a", interval: .milliseconds(1))) == .taken(newest: nil))
        }

        @Test("a value that is compressed has the size that it has in the store", .rule("A72"))
        func compressed() async throws {
            let server = try await RedisServer()
            var limits = RedisStore.Limits()
            (limits.valueSize, limits.compressAbove) = (1000, 500)
            let writer = QueryClient(fleet: setup(try RedisStore(server.address, limits: limits)))
            limits.compressAbove = nil
            let reader = QueryClient(fleet: setup(try RedisStore(server.address, limits: limits)))
            await until { writer.fleet?.isConnected ?? false && reader.fleet?.isConnected ?? false }
            let definition = QueryDefinition("large") { [requests] _ in
                requests.append("large")
                return String(repeating: "x", count: 50_000)
            }.staleAfter(.seconds(60)).shared()
            #expect(try await writer.fetch(definition).count == 50_000)
            #expect(try await reader.fetch(definition).count == 50_000)
            #expect(requests.all.count == 1)
            // A value that would take too much memory when it is read is not shared, however small it is in the store.
            try writer.set(String(repeating: "y", count: 70_000), for: definition)
            await until { reader.snapshot(of: definition).isStale }
            #expect(try await reader.fetch(definition).count == 50_000)
            #expect(requests.all.count == 2)
        }

        @Test("a value that is too large is not shared, and nobody waits for it", .rule("A72"))
        func tooLarge() async throws {
            let server = try await RedisServer()
            var limits = RedisStore.Limits()
            limits.valueSize = 1000
            let store = try RedisStore(server.address, limits: limits)
            let clients = (0..<2).map { _ in QueryClient(fleet: setup(store)) }
            await until { clients.allSatisfy { $0.fleet?.isConnected ?? false } }
            let definition = QueryDefinition("large") { [requests] _ in
                requests.append("large")
                return String(repeating: "x", count: 2000)
            }.staleAfter(.seconds(60)).shared()
            for client in clients { #expect(try await client.fetch(definition).count == 2000) }
            #expect(requests.all.count == 2)
            try clients[0].set(String(repeating: "y", count: 3000), for: definition)
            await until { clients[1].snapshot(of: definition).isStale }
            #expect(clients.allSatisfy { $0.fleet?.isConnected ?? false })
        }
    }
#endif
