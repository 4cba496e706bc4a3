internal import Foundation

extension HTTPChunks {
    /// The same pieces; something is kept until the last one is read, or they are let go.
    func holding(_ kept: any Sendable) -> HTTPChunks {
        reading(keeping: kept) { try await $0.next() }
    }

    /// The same pieces as far as they come until a deadline, after which reading is a timeout.
    func ending(at deadline: MonotonicInstant, clock: any QueryClock) -> HTTPChunks {
        reading { pieces in
            try await clock.withDeadline(deadline) { () throws(HTTPError) in try await pieces.next() }
        }
    }

    private func reading(
        keeping kept: any Sendable = (), _ read: @escaping @Sendable (HTTPChunks) async throws -> Data?
    ) -> HTTPChunks {
        let source = Locked<(HTTPChunks, any Sendable)?>((self, kept))
        return HTTPChunks {
            // One reader at a time, as for any stream.
            guard let (pieces, _) = source.withLock({ $0 }) else { return nil }
            do {
                let piece = try await read(pieces)
                if piece == nil { source.withLock { $0 = nil } }
                return piece
            } catch {
                source.withLock { $0 = nil }
                throw error
            }
        }
    }
}
