package import DemoHTTP
import NIOConcurrencyHelpers

extension GitHubServer {
    /// Reads or changes one of the ``Settings``.
    package subscript<Value: Sendable>(dynamicMember setting: WritableKeyPath<Settings, Value>) -> Value {
        get { listener.site.state.withLockedValue { $0.settings[keyPath: setting] } }
        set {
            let isOffline = listener.site.state.withLockedValue { state in
                state.settings[keyPath: setting] = newValue
                return state.settings.faults.isOffline
            }
            if isOffline { listener.dropConnections() }
        }
    }

    /// Whether every connection is closed as soon as a request arrives on it. Going offline drops those that are open.
    package var isOffline: Bool {
        get { self.faults.isOffline }
        set { self[dynamicMember: \.faults.isOffline] = newValue }
    }

    /// Holds back the answers of these paths, each with all below it, until they are released: `/users/ann` is also
    /// `/users/ann/repos`.
    package func hold(_ paths: String...) {
        listener.site.state.withLockedValue { state in
            for path in paths { state.gates.append((path.pathSegments, Gate())) }
        }
    }

    /// Gives the answers that ``hold(_:)`` held back for these paths, all of them where none is named.
    package func release(_ paths: String...) {
        let wanted = paths.map(\.pathSegments)
        let released = listener.site.state.withLockedValue { state in
            defer { state.gates.removeAll { wanted.isEmpty || wanted.contains($0.path) } }
            return state.gates.filter { wanted.isEmpty || wanted.contains($0.path) }
        }
        for gate in released { gate.gate.open() }
    }

    /// The requests that reached the server since it started or since ``resetRequests()``, but for those made while it
    /// was offline.
    ///
    /// A client may repeat a request whose kept-alive connection was dropped, as `URLSession` does: each attempt counts.
    package var requests: RequestLog {
        listener.site.state.withLockedValue { $0.log }
    }

    /// Forgets the requests counted so far.
    package func resetRequests() {
        listener.site.state.withLockedValue { $0.log.reset() }
    }

    /// Returns the requests once they are as wanted, at once where they are so already.
    ///
    /// - Throws: `CancellationError` where the task is cancelled, or the server stops, before that.
    @discardableResult
    package func requests(where isWanted: @Sendable (RequestLog) -> Bool) async throws -> RequestLog {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        listener.site.observe(continuation)
        for await _ in changes {
            let log = requests
            if isWanted(log) { return log }
        }
        throw CancellationError()
    }
}
