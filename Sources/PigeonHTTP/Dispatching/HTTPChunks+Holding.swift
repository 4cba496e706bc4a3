extension HTTPChunks {
    /// The same pieces; something is kept until the last one is read, or they are let go.
    func holding(_ kept: any Sendable) -> HTTPChunks {
        let source = Locked<Source?>(Source(iterator: makeAsyncIterator(), kept: kept))
        return HTTPChunks {
            // One reader at a time, as for any stream.
            guard var current = source.withLock({ $0 }) else { return nil }
            do {
                guard let piece = try await current.iterator.next() else {
                    source.withLock { $0 = nil }
                    return nil
                }
                return piece
            } catch {
                source.withLock { $0 = nil }
                throw error
            }
        }
    }

    private struct Source: @unchecked Sendable {  // goes from one reader's turn to the next
        var iterator: Iterator
        let kept: any Sendable
    }
}
