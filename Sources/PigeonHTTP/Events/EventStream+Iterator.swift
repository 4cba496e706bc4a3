internal import Foundation

extension EventStream {
    /// One reading of the events, over one connection after another.
    public struct Iterator: AsyncIteratorProtocol {
        private let stream: EventStream
        private var parser: EventParser
        private var pieces: HTTPChunks?
        /// What has arrived and was not looked at. No more of it at once than keeps the events that wait few.
        private var unread = Data()
        private static let mostAtOnce = 1 << 16
        private var waiting: ArraySlice<ServerSentEvent> = []
        /// The newest id that a header can carry. Events after it may come twice, but none is missed.
        private var sendableID = ""
        /// How many connections in a row brought no event.
        private var failures = 0
        private var isOver = false

        init(stream: EventStream) {
            self.stream = stream
            parser = EventParser(limit: stream.limit)
        }

        /// Waits for the next event; `nil` when there are no more.
        public mutating func next() async throws(HTTPError) -> ServerSentEvent? {
            while !isOver {
                if let event = waiting.popFirst() { return event }
                let loss: HTTPError?
                do {
                    if try await read() { continue }
                    loss = nil
                } catch {
                    loss = HTTPError(error)
                }
                try await recover(from: loss)
            }
            return nil
        }

        /// Waits for the next event; `nil` when there are no more.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(HTTPError) -> ServerSentEvent? {
            try await next()
        }

        /// Reads a piece, from a new connection where there is none. Returns whether the connection is still there.
        private mutating func read() async throws -> Bool {
            if pieces == nil {
                failures += 1
                guard let connection = try await stream.connect(after: sendableID) else {
                    isOver = true
                    return true
                }
                pieces = connection
            }
            if unread.isEmpty {
                guard let piece = try await pieces?.next() else { return false }
                unread = piece
            }
            waiting = try parser.events(in: unread.prefix(Self.mostAtOnce))[...]
            if parser.lastEventID.isFieldValue { sendableID = parser.lastEventID }
            unread = unread.dropFirst(Self.mostAtOnce)
            if !waiting.isEmpty { failures = 0 }
            return true
        }

        /// Waits before the next connection, or ends the iteration.
        private mutating func recover(from loss: HTTPError?) async throws(HTTPError) {
            pieces = nil
            unread = Data()
            guard loss?.isLostConnection ?? true,
                let wait = stream.reconnection.wait(failures: failures, asked: parser.reconnectionTime)
            else {
                isOver = true
                if let loss { throw loss }
                return
            }
            parser = EventParser(
                limit: stream.limit, lastEventID: parser.lastEventID, reconnectionTime: parser.reconnectionTime)
            do {
                try await stream.clock.sleep(for: wait)
            } catch {
                isOver = true
                throw .cancelled
            }
        }
    }
}

extension HTTPError {
    fileprivate var isLostConnection: Bool {
        if case .transport = self { return true }
        return false
    }
}
