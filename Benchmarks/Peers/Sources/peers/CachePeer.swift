#if canImport(Cache)
    internal import Cache

    /// hyperoslo/Cache, by its storage in memory. It fetches nothing.
    struct CachePeer: Peer {
        let name = "Cache in memory"

        func read() async throws -> Double? {
            let storage = MemoryStorage<String, User>(config: MemoryConfig())
            for id in scattered { storage.setObject(User(id), forKey: "users/\(id)") }
            return try await time(of: Size.keys) {
                for id in 0..<Size.keys { use(try storage.object(forKey: "users/\(id)").id) }
            }
        }

        func create() async throws -> Double? {
            let storage = MemoryStorage<String, User>(config: MemoryConfig())
            return await time(of: Size.keys) {
                for id in scattered { storage.setObject(User(id), forKey: "users/\(id)") }
            }
        }
    }
#endif
