import NIOConcurrencyHelpers
import Pigeon

/// Prints what happens as it happens, each line with the milliseconds since its scene began.
final class Timeline: Sendable {
    /// Who speaks: the program, the client's event stream, or the HTTP layer.
    enum Voice: String, Codable, Sendable {
        case app, pigeon, http
    }

    struct Entry: Codable, Sendable {
        let milliseconds: Int
        let voice: Voice
        let text: String
        /// Whether something went wrong, and is to be seen at a glance.
        var isTrouble = false
    }

    private struct State {
        var start: MonotonicInstant
        var isMuted = false
        var entries: [Entry] = []
    }

    static let width = 100

    let style: Style
    private let write: @Sendable (String) -> Void
    private let clock = SystemClock()
    private let state: NIOLockedValueBox<State>

    /// - Parameter write: Takes each line, one at a time.
    init(style: Style, write: @escaping @Sendable (String) -> Void) {
        self.style = style
        self.write = write
        state = NIOLockedValueBox(State(start: clock.now()))
    }

    var now: MonotonicInstant { clock.now() }

    /// How long the scene runs.
    var elapsed: Duration { state.withLockedValue { $0.start }.duration(to: now) }

    /// What was said since the scene began.
    var entries: [Entry] { state.withLockedValue { $0.entries } }

    /// Begins a scene, `age` ago.
    func begin(_ title: String, age: Duration = .zero) {
        state.withLockedValue { state in
            state.start = now.advanced(by: .zero - age)
            state.entries = []
            state.isMuted = false
            write("")
            write(style(.bold, title))
        }
    }

    /// Adds a line, unless the client and the HTTP layer are muted.
    func say(_ voice: Voice, _ text: String, isTrouble: Bool = false) {
        state.withLockedValue { state in
            guard voice == .app || !state.isMuted else { return }
            let elapsed = state.start.duration(to: now)
            add(Entry(milliseconds: elapsed.milliseconds, voice: voice, text: text, isTrouble: isTrouble), &state)
        }
    }

    /// Adds what a client tells.
    func say(_ event: QueryEvent) {
        say(.pigeon, event.description, isTrouble: event.kind.isTrouble)
    }

    /// Adds lines that another process said.
    func replay(_ entries: [Entry]) {
        state.withLockedValue { state in
            for entry in entries { add(entry, &state) }
        }
    }

    /// Leaves out what the client and the HTTP layer say.
    func mute(_ isMuted: Bool) {
        state.withLockedValue { $0.isMuted = isMuted }
    }

    /// Prints a line as it is.
    func print(_ line: String) {
        state.withLockedValue { _ in write(line) }
    }

    /// Says whether what the demo promises came true.
    func conclude(_ claim: String, _ holds: Bool) {
        print("  \(style(holds ? .green : .red, holds ? "✓" : "✗")) \(claim)")
    }

    /// Under the lock, so that lines are printed in the order of their times.
    private func add(_ entry: Entry, _ state: inout State) {
        state.entries.append(entry)
        let time = "\(entry.milliseconds) ms".padded(to: 9, alignment: .right)
        let text = entry.text.shortened(to: Self.width - 19)
        let voice = style(entry.voice.look, entry.voice.rawValue.padded(to: 6))
        write("\(style(.dim, time))  \(voice)  \(entry.isTrouble ? style(.red, text) : text)")
    }
}

extension QueryEvent.Kind {
    fileprivate var isTrouble: Bool {
        switch self {
        case .failed, .retrying, .pageFailed, .mutationFailed, .setAside, .rolledBack, .cacheProblem, .misuse: true
        default: false
        }
    }
}

extension Timeline.Voice {
    fileprivate var look: Style.Look {
        switch self {
        case .app: .bold
        case .pigeon: .cyan
        case .http: .yellow
        }
    }
}

extension Duration {
    /// Whole milliseconds, rounded.
    var milliseconds: Int { Int((self / .milliseconds(1)).rounded()) }
}
