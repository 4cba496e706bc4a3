import Dispatch
import Foundation

/// Reads keys from a terminal without holding a thread.
final class KeyReader: Sendable {
    private struct State {
        var decoder = KeyDecoder()
        var source: (any DispatchSourceRead)?
        /// Counts what came, so that a wait for more knows whether something did.
        var reads = 0
    }

    /// The time in which the rest of an escape sequence comes, also over a slow line. Who presses Escape does not notice.
    private static let wait = DispatchTimeInterval.milliseconds(50)

    private let device: Device
    private let queue = DispatchQueue(label: "terminal-keys")
    private let state = Locked(State())
    private let onKey: @Sendable (Key?) -> Void

    /// - Parameter onKey: Gets each key, and `nil` at the end.
    init(device: Device, onKey: @escaping @Sendable (Key?) -> Void) {
        self.device = device
        self.onKey = onKey
    }

    func start() {
        let source = DispatchSource.makeReadSource(fileDescriptor: device.input, queue: queue)
        source.setEventHandler { [weak self] in self?.read() }
        state.withLock { $0.source = source }
        source.activate()
    }

    func stop() {
        state.withLock { state in
            defer { state.source = nil }
            return state.source
        }?.cancel()
    }

    private func read() {
        guard let bytes = device.read() else { return }
        guard !bytes.isEmpty else {
            stop()
            return onKey(nil)
        }
        let (keys, waitsAt) = state.withLock { state in
            state.reads += 1
            return (state.decoder.feed(bytes), state.decoder.isWaiting ? state.reads : nil)
        }
        for key in keys { onKey(key) }
        guard let waitsAt else { return }
        queue.asyncAfter(deadline: .now() + Self.wait) { [weak self] in self?.flush(at: waitsAt) }
    }

    private func flush(at reads: Int) {
        let keys = state.withLock { $0.reads == reads ? $0.decoder.flush() : [] }
        for key in keys { onKey(key) }
    }
}
