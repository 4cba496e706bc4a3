import NIOConcurrencyHelpers
import NIOCore

/// Knows the open connections of one server, so that stopping it can close them.
final class Connections: Sendable {
    private struct State {
        var open: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let state = NIOLockedValueBox(State())

    /// Takes a connection in, or closes it where the server has stopped meanwhile.
    func add(_ channel: any Channel) {
        let isClosed = state.withLockedValue { state in
            if !state.isClosed { state.open[ObjectIdentifier(channel)] = channel }
            return state.isClosed
        }
        if isClosed { channel.close(promise: nil) }
    }

    func remove(_ channel: any Channel) {
        state.withLockedValue { _ = $0.open.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Closes the open connections, but for one that still has an answer to give.
    func drop(except spared: (any Channel)? = nil) {
        let channels = state.withLockedValue { Array($0.open.values) }
        for channel in channels where channel !== spared { channel.close(promise: nil) }
    }

    /// Closes every connection, and every one that is added later. Returns what tells when each is closed.
    func closeAll() -> [EventLoopFuture<Void>] {
        let channels = state.withLockedValue { state in
            state.isClosed = true
            return Array(state.open.values)
        }
        for channel in channels { channel.close(promise: nil) }
        return channels.map(\.closeFuture)
    }
}
