import Dispatch
import Foundation

/// A terminal that gives each key as it is pressed, and shows frames on a screen of its own.
///
/// ```swift
/// guard let terminal = Terminal.open() else { return runAsScript() }
/// defer { terminal.close() }
/// terminal.draw(Frame(["Press q to end."]))
/// for await event in terminal.events where event == .key(.character("q")) { break }
/// ```
///
/// The terminal is as it was before once it is closed, the program exits, or a signal ends or stops it.
package final class Terminal: Sendable {
    private struct State {
        var screen: Screen
        var isRaw = false
        var isClosed = false
    }

    /// Keys and changes of size as they come; ends with the input, and when the terminal is closed. For one reader.
    package let events: AsyncStream<TerminalEvent>

    private let device: Device
    private let original: Modes
    private let state: Locked<State>
    private let continuation: AsyncStream<TerminalEvent>.Continuation
    private let keys: KeyReader
    private let signals = Locked<SignalWatch?>(nil)

    /// Opens the terminal of this program; `nil` where input or output is none, and so takes no escape sequences.
    ///
    /// - Parameters:
    ///   - input: The open file to read keys from.
    ///   - output: The open file to show frames on.
    ///   - watchesSignals: Whether the terminal is put right when a signal ends or stops the program, and told of its
    ///     size. For one terminal of a process.
    package static func open(input: Int32 = 0, output: Int32 = 1, watchesSignals: Bool = true) -> Terminal? {
        let device = Device(input: input, output: output)
        guard device.isTerminal, let modes = device.modes else { return nil }
        let terminal = Terminal(device: device, modes: modes)
        terminal.enter()
        OpenTerminals.add(terminal)
        if watchesSignals { terminal.watchSignals() }
        terminal.keys.start()
        return terminal
    }

    private init(device: Device, modes: termios) {
        self.device = device
        original = Modes(modes)
        let hasColors = ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
        state = Locked(State(screen: Screen(hasColors: hasColors)))
        let (events, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
        self.events = events
        self.continuation = continuation
        keys = KeyReader(device: device) { key in
            guard let key else { return continuation.finish() }
            continuation.yield(.key(key))
        }
    }

    deinit { close() }

    package var size: TerminalSize { device.size }

    /// Shows a frame: writes what differs from the one before, at once; nothing once the terminal is closed.
    package func draw(_ frame: Frame) {
        let size = device.size
        state.withLock { state in
            guard state.isRaw else { return }
            let changes = state.screen.draw(frame, size: size)
            // Inside the lock, so that frames of two threads are written one after the other.
            if !changes.isEmpty, !device.write(changes) { state.screen.invalidate() }
        }
    }

    /// Has the next frame drawn as a whole, as Ctrl-L asks for.
    package func invalidate() {
        state.withLock { $0.screen.invalidate() }
    }

    /// Stops the program as Ctrl-Z does in other programs; the terminal is as it was until it goes on.
    package func suspend() {
        signals.withLock { $0 }?.suspend()
    }

    /// Gives the terminal back as it was, and ends ``events``.
    package func close() {
        leave()
        state.withLock { $0.isClosed = true }
        keys.stop()
        signals.withLock { watch in
            defer { watch = nil }
            return watch
        }?.stop()
        OpenTerminals.remove(self)
        continuation.finish()
    }

    /// Takes the terminal: raw first, so that whoever sees the new screen knows that it is.
    private func enter() {
        state.withLock { state in
            guard !state.isRaw, !state.isClosed else { return }
            device.set(original.modes.raw)
            state.isRaw = true
            state.screen.invalidate()
            // Another screen, no line wrap, pasted text marked as such.
            _ = device.write("\u{1B}[?1049h\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l")
        }
    }

    /// Gives the terminal back; modes first, so that whoever sees the old screen knows that they are back.
    func leave() {
        state.withLock { state in
            guard state.isRaw else { return }
            state.isRaw = false
            device.set(original.modes)
            _ = device.write("\u{1B}[0m\u{1B}[?2026l\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        }
    }

    private func watchSignals() {
        let watch = SignalWatch { [weak self] event in
            guard let self else { return }
            switch event {
            case .ends, .stops: leave()
            case .resumes:
                enterAgain()
                continuation.yield(.resumed)
            case .resizes: continuation.yield(.resized(size))
            }
        }
        signals.withLock { $0 = watch }
        watch.start()
    }

    /// Takes the terminal once more: whoever had it meanwhile may have left it in any mode.
    private func enterAgain() {
        state.withLock { $0.isRaw = false }
        enter()
    }
}
