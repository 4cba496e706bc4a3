#if os(Linux)
    import Foundation
    import PigeonCore
    import PigeonTesting
    import TestSupport
    import Testing

    /// Each test saves values in another process, ends that process, and reads the values in this one.
    @Suite("What is saved in UserDefaults is there in the next process")
    struct NextProcessTests {
        /// Opens a defaults database whose name both processes know.
        ///
        /// - Parameter process: The process that runs the tests. It is the parent of the process that saves.
        private static func cache(
            _ name: String, of process: pid_t, clock: any QueryClock = ManualClock()
        ) throws -> UserDefaultsQueryCache {
            let defaults = try #require(UserDefaults(suiteName: "pigeon.tests.\(process).\(name)"))
            return UserDefaultsQueryCache(defaults: defaults, clock: clock)
        }

        /// Ends the process as a crash does, without the work that is due when a process exits.
        private static func die() {
            kill(getpid(), SIGKILL)
        }

        private func reading(_ name: String) throws -> [Int]? {
            let cache = try Self.cache(name, of: getpid())
            defer { cache.removeAll() }
            return cache.get(for: "users/42")
        }

        @Test("a process that exits right after it saved leaves what it saved", .rule("U21"))
        func exit() async throws {
            await #expect(processExitsWith: .success) {
                try Self.cache("exit", of: getppid()).save([1, 2], for: "users/42", andTimestamp: .distantPast)
            }
            #expect(try reading("exit") == [1, 2])
        }

        @Test("a process that is killed leaves what it saved 100 ms before", .rule("U21"))
        func killedLater() async throws {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                endProcess(after: 50)
                let clock = ManualClock()
                let cache = try Self.cache("later", of: getppid(), clock: clock)
                cache.save([1], for: "users/42", andTimestamp: .distantPast)
                cache.save([1, 2], for: "users/42", andTimestamp: .distantPast)
                clock.advance(by: .milliseconds(99))
                #expect(!cache.isFlushed)
                clock.advance(by: .milliseconds(1))
                await until { cache.isFlushed }
                Self.die()
            }
            #expect(try reading("later") == [1, 2])
        }

        @Test("a process that is killed leaves what its client flushed", .rule("U21"))
        func flushed() async throws {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                endProcess(after: 50)
                let client = QueryClient(cache: try Self.cache("flushed", of: getppid()))
                try client.set([1, 2], for: .value("users/42").persisted())
                await client.flush()
                Self.die()
            }
            #expect(try reading("flushed") == [1, 2])
        }

        @Test("once a cache is emptied, a process that is killed leaves nothing", .rule("U21"))
        func emptied() async throws {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                let cache = try Self.cache("emptied", of: getppid())
                cache.save([1, 2], for: "users/42", andTimestamp: .distantPast)
                cache.flush()
                cache.removeAll()
                Self.die()
            }
            #expect(try reading("emptied") == nil)
        }
    }
#endif
