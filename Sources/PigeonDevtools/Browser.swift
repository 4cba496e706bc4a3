#if Devtools
    internal import Foundation
    internal import NIOCore
    internal import PigeonCore

    /// Belongs to the event loop of its socket.
    final class Browser: SocketEnd, @unchecked Sendable {  // used on its socket's event loop only
        private let socket: Socket
        private let hub: Hub
        private(set) var view: ClientView?
        private var entry: EntryView?
        private var item: ItemView?
        /// The entries that have not been sent yet, after the browser began to watch or missed changes.
        private var unsent: ArraySlice<QueryKey>?
        /// True if the next entries replace those that the browser has.
        private var isReset = false
        /// Number of missed events that were not reported to the browser yet.
        private var missedEvents = 0
        /// True if the browser missed a change of the outbox or of requests.
        private var hasMissed = false

        init(_ socket: Socket, _ hub: Hub) {
            (self.socket, self.hub) = (socket, hub)
            hub.connect(self, on: socket.channel.eventLoop)
        }

        func received(_ text: ByteBuffer) { hub.receive(Data(text.readableBytesView), from: self) }

        func writabilityChanged() {
            if isReady { sendEntries() }
        }

        func closed() { hub.disconnect(self) }

        /// False while the browser is too slow to read the messages. Further ones are dropped until it has caught up.
        var isReady: Bool { socket.isWritable }

        func send(_ message: JSONText) { socket.send(message) }

        func sendUnlessSlow(_ change: JSONText) {
            if isReady { send(change) } else { hasMissed = true }
        }

        func takeMissed() -> Bool {
            defer { hasMissed = false }
            return hasMissed
        }

        func sendFromAnywhere(_ message: JSONText) {
            socket.channel.eventLoop.execute { self.send(message) }
        }

        func watch(_ view: ClientView) {
            self.view = view
            (entry, item) = (nil, nil)
            beginAgain()
        }

        func open(_ entry: EntryView?) {
            (self.entry, item) = (entry, nil)
        }

        func select(_ item: ItemView?) {
            self.item = item
        }

        // MARK: Entries

        func beginAgain() {
            unsent = view?.keys()
            isReset = true
        }

        /// Sends further pieces of the entries, as long as the browser reads them.
        func sendEntries() {
            guard let view else { return }
            while isReady, let keys = unsent {
                let piece = keys.prefix(2000)
                let rest = keys.dropFirst(piece.count)
                let isAlone = hub.isAlone(self, with: view)
                send(view.entries(piece, isReset: isReset, hasMore: !rest.isEmpty, isAlone: isAlone))
                isReset = false
                unsent = rest.isEmpty ? nil : rest
            }
        }

        /// Sends changes of entries. A browser that cannot take them receives all entries anew, later.
        func send(changes: JSONText?) {
            guard let changes else { return }
            if isReady { send(changes) } else { beginAgain() }
        }

        func send(events: JSONText, count: Int, of client: Int, dropped: Int) {
            missedEvents += dropped
            guard isReady else { return missedEvents += count }
            guard count + missedEvents > 0 else { return }
            send(Messages.events(events, dropped: missedEvents, of: client))
            missedEvents = 0
        }

        /// Sends the entry that the browser shows, and the item that is selected, if they have changed.
        func showEntry() {
            if isReady, let message = entry?.update() { send(message) }
            if isReady, let message = item?.update() { send(message) }
        }
    }
#endif
