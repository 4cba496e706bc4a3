internal import Foundation

extension HTTPChunks {
    /// The same pieces; something is kept until the last one is read, or they are let go.
    func holding(_ kept: any Sendable) -> HTTPChunks {
        reading(keeping: kept) { try await $0.next() }
    }

    /// The same pieces as far as they come until a deadline, after which reading is a timeout.
    func ending(at deadline: MonotonicInstant, clock: any QueryClock) -> HTTPChunks {
        reading { source throws(HTTPError) in
            try await clock.withDeadline(deadline) { () throws(HTTPError) in
                do { return try await source.next() } catch { throw HTTPError(error) }
            }
        }
    }

    private func reading(
        keeping kept: any Sendable = (), _ read: @escaping @Sendable (Source) async throws -> Data?
    ) -> HTTPChunks {
        let source = Locked<(Source, any Sendable)?>((Source(iterator: makeAsyncIterator()), kept))
        return HTTPChunks {
            // One reader at a time, as for any stream.
            guard let (current, _) = source.withLock({ $0 }) else { return nil }
            do {
                let piece = try await read(current)
                if piece == nil { source.withLock { $0 = nil } }
                return piece
            } catch {
                source.withLock { $0 = nil }
                throw error
            }
        }
    }

    private struct Source: @unchecked Sendable {  // goes from one reader's turn to the next
        let iterator: Iterator

        func next() async throws -> Data? {
            var iterator = iterator  // all copies share the pieces
            return try await iterator.next()
        }
    }
}
