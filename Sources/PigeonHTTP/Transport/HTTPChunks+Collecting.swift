package import Foundation

extension HTTPChunks {
    /// One piece, or none.
    package init(piece: Data?) {
        self.init { continuation in
            if let piece { continuation.yield(piece) }
            continuation.finish()
        }
    }

    /// The next piece; `nil` after the last one, and for a cancelled reader.
    func next() async throws -> Data? {
        var iterator = makeAsyncIterator()  // all iterators of a stream share its pieces
        return try await iterator.next()
    }

    /// All pieces in one.
    ///
    /// - Parameter limit: The most bytes, or `nil` for no limit.
    /// - Throws: ``HTTPError/bodyTooLarge(limit:)``, ``HTTPError/cancelled``, and what ends the pieces early.
    package func collected(limit: Int?) async throws(HTTPError) -> Data {
        var all = Data()
        do {
            for try await piece in self {
                all.append(piece)
                if let limit, all.count > limit { throw HTTPError.bodyTooLarge(limit: limit) }
            }
        } catch {
            throw HTTPError(error)
        }
        // A stream ends for a cancelled reader as if it were whole.
        if Task.isCancelled { throw .cancelled }
        return all
    }

    /// At most so many bytes from the beginning, fewer where the pieces break off. The rest is let go.
    package func beginning(_ count: Int) async throws(HTTPError) -> Data {
        var all = Data()
        do {
            for try await piece in self {
                all.append(piece.prefix(count - all.count))
                if all.count == count { break }
            }
        } catch {
            // What has come by then says more than that it is not all.
        }
        if Task.isCancelled { throw .cancelled }
        return all
    }
}

extension Response<HTTPChunks> {
    /// The answer itself where it is a success; its status is an error else, with the beginning of the body.
    func orStatusError() async throws(HTTPError) -> Self {
        guard statusCode.type != .success else { return self }
        let beginning: Data? = try await data.beginning(1 << 16)
        _ = try withData(beginning).orStatusError()
        return self
    }
}
