#if os(Linux)
    import Foundation
    import PigeonCore
    import PigeonOutbox
    import PigeonSQLite
    import TestSupport
    import Testing

    /// Each test lets another process use the file, ends that process, and goes on in this one.
    @Suite("Mutations of another process")
    struct MutationProcessTests {
        /// A file whose place both processes know.
        ///
        /// - Parameter process: The process that runs the tests. It is the parent of the other one.
        private static func file(_ name: String, of process: pid_t) -> URL {
            FileManager.default.temporaryDirectory.appendingPathComponent("pigeon-outbox-\(process)-\(name)/a.sqlite")
        }

        private func store(_ name: String) throws -> SQLiteMutationStore {
            try SQLiteMutationStore(at: Self.file(name, of: getpid()))
        }

        private func remove(_ name: String) {
            try? FileManager.default.removeItem(at: Self.file(name, of: getpid()).deletingLastPathComponent())
        }

        /// Ends the process as a crash does, without the work that is due when a process exits.
        private static func die() {
            kill(getpid(), SIGKILL)
        }

        @Test(
            "a mutation whose process is killed right after enqueue has returned is in the file, and is made",
            .rule("O1"))
        func killed() async throws {
            defer { remove("killed") }
            await #expect(processExitsWith: .signal(SIGKILL)) {
                endProcess(after: 50)
                let store = try SQLiteMutationStore(at: Self.file("killed", of: getppid()))
                let client = QueryClient.errands(in: store, isOnline: false)
                try await client.enqueue(Errand("milk", scope: "shop"))
                try await client.enqueue(Errand("bread", scope: "shop"))
                Self.die()
            }
            let store = try store("killed")
            let records = try #require(try store.changes(after: -1, in: nil)).records
            #expect(records.map(\.number) == [1, 2])
            let shop = Shop()
            let client = QueryClient.errands(in: store, shop, isOnline: false)
            #expect(client.outbox.snapshot.texts == ["milk", "bread"])
            client.environment.connectivity.set(true)
            await client.outbox.drain()
            #expect(shop.contexts.map(\.key) == records.map(\.mutation.key))
            #expect(try store.inspect("PRAGMA integrity_check") == ["ok"])
        }

        @Test("the lease of a process that was killed during an attempt is taken over once it has ended", .rule("O7"))
        func takenOver() async throws {
            defer { remove("lease") }
            await #expect(processExitsWith: .signal(SIGKILL)) {
                endProcess(after: 50)
                let store = try SQLiteMutationStore(at: Self.file("lease", of: getppid()))
                let shop = Shop { Self.die() }
                let client = QueryClient.errands(in: store, shop, leaseTime: .seconds(1))
                try await client.enqueue(Errand("milk"))
                try await Task.sleep(for: .seconds(40))
            }
            let store = try store("lease")
            let end = try #require(try store.inspect("SELECT lease_end FROM outbox").first.flatMap { Double($0) })
            let key = try #require(try store.changes(after: -1, in: nil)?.records.first).mutation.key
            let dates = Recorder<Date>()
            let shop = Shop { dates.append(Date()) }
            let client = QueryClient.errands(in: store, shop, leaseTime: .seconds(1))
            await until { client.outbox.snapshot.isEmpty }
            #expect(shop.contexts.map(\.key) == [key])
            #expect(shop.contexts.map(\.attempt) == [2])
            #expect(shop.contexts.map(\.isRestored) == [true])
            #expect(dates.all.allSatisfy { $0.timeIntervalSinceReferenceDate >= end })
        }

        @Test(
            "a process that ends after close() gives its lease back, though an attempt had not ended",
            .rule("K13", "O7"))
        func givenBack() async throws {
            defer { remove("given") }
            await #expect(processExitsWith: .success) {
                endProcess(after: 50)
                let store = try SQLiteMutationStore(at: Self.file("given", of: getppid()))
                let held = Recorder<CheckedContinuation<Void, Never>>()
                // The attempt ignores its cancellation.
                let shop = Shop { await withCheckedContinuation { held.append($0) } }
                let client = QueryClient.errands(in: store, shop, leaseTime: .seconds(3600))
                for text in ["milk", "bread"] { try await client.enqueue(Errand(text, scope: "shop")) }
                await until { held.all.count == 1 }
                let report = await client.close(within: .zero)
                guard report.cancelledMutations == 1 else { exit(1) }
                exit(0)
            }
            let shop = Shop()
            let client = QueryClient.errands(in: try store("given"), shop)
            #expect(await client.outbox.drain() == 0)
            #expect(shop.contexts.map(\.attempt) == [2, 1])
        }

        @Test("a client notices what another process enqueues, clears and makes, without being asked", .rule("O7"))
        func noticed() async throws {
            defer { remove("notice") }
            let client = QueryClient.errands(in: try store("notice"), isOnline: false)
            #expect(client.outbox.snapshot.isEmpty)
            await #expect(processExitsWith: .success) {
                endProcess(after: 50)
                let store = try SQLiteMutationStore(at: Self.file("notice", of: getppid()))
                let client = QueryClient.errands(in: store, isOnline: false)
                for text in ["milk", "bread"] { try await client.enqueue(Errand(text)) }
            }
            await until { client.outbox.snapshot.texts == ["milk", "bread"] }
            await #expect(processExitsWith: .success) {
                endProcess(after: 50)
                let store = try SQLiteMutationStore(at: Self.file("notice", of: getppid()))
                let client = QueryClient.errands(in: store)
                await client.outbox.drain()
            }
            await until { client.outbox.snapshot.isEmpty }
            #expect(client.outbox.snapshot.problems.isEmpty)
        }

        @Test("what this process enqueues while another one makes mutations is made by one of them, once", .rule("O7"))
        func shared() async throws {
            defer { remove("shared") }
            let shop = Shop()
            let client = QueryClient.errands(in: try store("shared"), shop)
            for number in 0..<20 { try await client.enqueue(Errand("\(number)", scope: "shop")) }
            await #expect(processExitsWith: .success) {
                endProcess(after: 50)
                let store = try SQLiteMutationStore(at: Self.file("shared", of: getppid()))
                let client = QueryClient.errands(in: store)
                for number in 20..<40 { try await client.enqueue(Errand("\(number)", scope: "shop")) }
                await until { client.outbox.snapshot.isEmpty }
            }
            await until { client.outbox.snapshot.isEmpty }
            let keys = shop.contexts.map(\.key)
            #expect(Set(keys).count == keys.count)
        }
    }
#endif
