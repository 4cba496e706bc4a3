import DemoHTTP
import Foundation
import NIOConcurrencyHelpers
import NIOHTTP1

/// Answers requests from the content it holds; knows nothing of connections.
final class HubSite: Site {
    struct State {
        var settings: Settings
        var stars: Stars
        var uses: [Viewer: RateUse] = [:]
        var log = RequestLog()
        var gates: [(path: [String], gate: Gate)] = []
        var observers: [UUID: AsyncStream<Void>.Continuation] = [:]
        var isClosed = false
    }

    let directory: Directory
    let state: NIOLockedValueBox<State>

    init(content: Content, settings: Settings) {
        directory = Directory(content)
        state = NIOLockedValueBox(State(settings: settings, stars: Stars(content)))
    }

    func close() {
        let observers = state.withLockedValue { state in
            defer { state.observers = [:] }
            state.isClosed = true
            // What waits behind them holds the connections, and those hold this.
            state.gates = []
            return state.observers
        }
        for observer in observers.values { observer.finish() }
    }

    func arrive(_ request: Request) -> Visit? {
        defer { notify() }
        return state.withLockedValue { state in
            guard !state.isClosed, !state.settings.faults.isOffline else { return nil }
            let isSignedIn = Viewer(request, accounts: state.settings.accounts).login != nil
            return Visit(
                request: request, gate: state.gates.first { request.path.starts(with: $0.path) }?.gate,
                latency: state.settings.latency.take(for: request.path),
                fault: state.settings.faults.strike(request.path),
                number: state.log.append(request.record(isSignedIn: isSignedIn)))
        }
    }

    func answer(_ visit: Visit) -> Reply {
        if state.withLockedValue({ $0.settings.faults.isOffline }) { return .close }
        if visit.fault == .reset { return .reset }
        let response = response(to: visit)
        if let number = visit.number {
            state.withLockedValue { $0.log.answer(number, status: Int(response.status.code)) }
        }
        notify()
        return .response(response)
    }

    func abandon(_ visit: Visit) {
        guard let number = visit.number else { return }
        state.withLockedValue { $0.log.abandon(number) }
        notify()
    }

    /// Tells an observer that the requests may have changed, now and from now on until the site is closed.
    func observe(_ observer: AsyncStream<Void>.Continuation) {
        let id = UUID()
        observer.onTermination = { [weak self] _ in
            _ = self?.state.withLockedValue { $0.observers.removeValue(forKey: id) }
        }
        let isClosed = state.withLockedValue { state in
            if !state.isClosed { state.observers[id] = observer }
            return state.isClosed
        }
        observer.yield()
        if isClosed { observer.finish() }
    }

    private func notify() {
        for observer in state.withLockedValue({ Array($0.observers.values) }) { observer.yield() }
    }
}
