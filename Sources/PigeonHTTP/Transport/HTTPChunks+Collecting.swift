package import Foundation

extension HTTPChunks {
    /// Creates chunks of one piece, or of none.
    package init(piece: Data?) {
        self.init { continuation in
            if let piece { continuation.yield(piece) }
            continuation.finish()
        }
    }

    /// Returns the next piece, or `nil` after the last one.
    ///
    /// - Throws: The error that ends the pieces early, and ``HTTPError/cancelled`` for a cancelled reader, for whom the
    ///   stream itself ends as if it were complete.
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

    /// Returns all pieces as one.
    ///
    /// - Parameter limit: The largest size in bytes, or `nil` for no limit.
    /// - Throws: ``HTTPError/bodyTooLarge(limit:)``, ``HTTPError/cancelled``, and the error that ends the pieces early.
    package func collected(limit: Int?) async throws(HTTPError) -> Data {
        var all = Data()
        while let piece = try await next() {
            all.append(piece)
            if let limit, all.count > limit { throw .bodyTooLarge(limit: limit) }
        }
        return all
    }

    /// Returns up to a number of bytes from the beginning, and fewer if the pieces end early. Releases the rest.
    package func beginning(_ count: Int) async throws(HTTPError) -> Data {
        var all = Data()
        do {
            while all.count < count, let piece = try await next() { all.append(piece.prefix(count - all.count)) }
        } catch .cancelled where Task.isCancelled {
            throw .cancelled
        } catch {
            // The bytes that have arrived tell more than the error that ended them.
        }
        return all
    }
}

extension Response<HTTPChunks> {
    /// The response itself if it is a success. Any other status is thrown as an error with the beginning of the body.
    func orStatusError() async throws(HTTPError) -> Self {
        guard statusCode.type != .success else { return self }
        let beginning: Data? = try await data.beginning(1 << 16)
        _ = try withData(beginning).orStatusError()
        return self
    }
}
