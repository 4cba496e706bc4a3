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

    private static let watched = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]

    private let queue = DispatchQueue(label: "terminal-signals")
    private let source = Locked<(any DispatchSourceRead)?>(nil)
    private let onEvent: @Sendable (Event) -> Void

    init(onEvent: @escaping @Sendable (Event) -> Void) {
        self.onEvent = onEvent
    }

    func start() {
        let source = DispatchSource.makeReadSource(fileDescriptor: SignalPipe.file, queue: queue)
        source.setEventHandler { [weak self] in
            for number in SignalPipe.read() { self?.receive(number) }
        }
        self.source.withLock { $0 = source }
        source.activate()
        for number in Self.watched { SignalPipe.watch(number) }
    }

    func stop() {
        let stopped = source.withLock { source in
            defer { source = nil }
            return source
        }
        guard let stopped else { return }
        for number in Self.watched { signal(number, SIG_DFL) }
        stopped.cancel()
    }

    /// Stops the program, and tells when it goes on.
    func suspend() {
        queue.async { self.receive(SIGTSTP) }
    }

    private func receive(_ number: Int32) {
        switch number {
        case SIGWINCH: onEvent(.resizes)
        case SIGCONT: onEvent(.resumes)
        case SIGTSTP:
            onEvent(.stops)
            carryOut(number)
            // The program goes on here, unless nothing could stop it: then there is no SIGCONT to tell.
            onEvent(.resumes)
        default:
            onEvent(.ends)
            carryOut(number)
        }
    }

    /// Has a signal do what it does to programs that do not watch it, and watches it again where the program goes on.
    private func carryOut(_ number: Int32) {
        signal(number, SIG_DFL)
        var (set, mask) = (sigset_t(), sigset_t())
        sigemptyset(&set)
        sigaddset(&set, number)
        // The queue's thread has signals blocked: this one would wait for ever.
        pthread_sigmask(SIG_UNBLOCK, &set, &mask)
        raise(number)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        SignalPipe.watch(number)
    }
}
