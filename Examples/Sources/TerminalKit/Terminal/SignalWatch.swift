import Dispatch
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Tells of the signals that concern a terminal, and then lets them do what they do.
final class SignalWatch: Sendable {
    enum Event {
        case ends, stops, resumes, resizes
    }

    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    private let queue = DispatchQueue(label: "terminal-signals")
    private let sources = Locked<[any DispatchSourceSignal]>([])
    private let onEvent: @Sendable (Event) -> Void

    init(onEvent: @escaping @Sendable (Event) -> Void) {
        self.onEvent = onEvent
    }

    func start() {
        for number in Self.ending {
            watch(number) { watch in
                watch.onEvent(.ends)
                watch.carryOut(number)
            }
        }
        watch(SIGTSTP) { $0.stopProgram() }
        watch(SIGCONT) { $0.onEvent(.resumes) }
        watch(SIGWINCH) { $0.onEvent(.resizes) }
    }

    func stop() {
        let stopped = sources.withLock { sources in
            defer { sources = [] }
            return sources
        }
        for source in stopped { source.cancel() }
        guard !stopped.isEmpty else { return }
        for number in Self.ending + [SIGTSTP, SIGCONT, SIGWINCH] { signal(number, SIG_DFL) }
    }

    func suspend() {
        queue.async { self.stopProgram() }
    }

    private func watch(_ number: Int32, _ body: @escaping @Sendable (SignalWatch) -> Void) {
        // Before the source: on Linux that puts a handler of its own in place, on Darwin it would come second.
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler { [weak self] in self.map(body) }
        sources.withLock { $0.append(source) }
        source.activate()
    }

    private func stopProgram() {
        onEvent(.stops)
        carryOut(SIGTSTP)
        // The program goes on here.
        onEvent(.resumes)
    }

    /// Has a signal do what it does to programs that do not watch it, and watches it again where the program goes on.
    private func carryOut(_ number: Int32) {
        var watching = sigaction()
        sigaction(number, nil, &watching)
        signal(number, SIG_DFL)
        var (set, mask) = (sigset_t(), sigset_t())
        sigemptyset(&set)
        sigaddset(&set, number)
        // The queue's thread has signals blocked: this one would wait for ever.
        pthread_sigmask(SIG_UNBLOCK, &set, &mask)
        raise(number)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        sigaction(number, &watching, nil)
    }
}
