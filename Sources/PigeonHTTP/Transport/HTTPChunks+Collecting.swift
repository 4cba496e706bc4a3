package import Foundation

extension HTTPChunks {
    /// One piece, or none.
    package init(piece: Data?) {
        self.init { continuation in
            if let piece { continuation.yield(piece) }
            continuation.finish()
        }
    }

    /// The next piece, or `nil` after the last one.
    ///
    /// - Throws: ``HTTPError/cancelled`` to a cancelled reader, for whom the stream itself ends as if it were whole; and what
    ///   ends the pieces early.
    func next() async throws(HTTPError) -> Data? {
        var iterator = makeAsyncIterator()  // all iterators of a stream share its pieces
        do {
            let piece: Data?
            if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
                piece = try await iterator.next(isolation: #isolation)  // stays on the caller's actor
            } else {
                piece = try await iterator.next()
            }
            if piece == nil { try Task.checkCancellation() }
            return piece
        } catch {
            throw HTTPError(error)
        }
    }

    /// All pieces in one.
    ///
    /// - Parameter limit: The most bytes, or `nil` for no limit.
    /// - Throws: ``HTTPError/bodyTooLarge(limit:)``, ``HTTPError/cancelled``, and what ends the pieces early.
    package func collected(limit: Int?) async throws(HTTPError) -> Data {
        var all = Data()
        while let piece = try await next() {
            all.append(piece)
            if let limit, all.count > limit { throw .bodyTooLarge(limit: limit) }
        }
        return all
    }

    /// At most so many bytes from the beginning, fewer where the pieces break off. The rest is let go.
    package func beginning(_ count: Int) async throws(HTTPError) -> Data {
        var all = Data()
        do {
            while all.count < count, let piece = try await next() { all.append(piece.prefix(count - all.count)) }
        } catch .cancelled where Task.isCancelled {
            throw .cancelled
        } catch {
            // What has come by then says more than that it is not all.
        }
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
