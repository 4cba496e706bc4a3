public import DemoHTTP
import NIOConcurrencyHelpers

extension DemoServer {
    /// The time that every answer waits, 0 to 30 seconds; a value outside is moved to the nearest end.
    ///
    /// Applies to requests that arrive after it is set. Waiting requests hold no thread.
    public var latency: Duration {
        get { listener.site.state.withLockedValue { $0.latency } }
        set { listener.site.state.withLockedValue { $0.latency = min(max(newValue, .zero), Limits.longestLatency) } }
    }

    /// What goes wrong, ``Faults/none`` at first. Applies to requests that arrive after it is set; going
    /// offline also drops the connections that are open, with what waits on them; `/_control` still answers.
    public var faults: Faults {
        get { listener.site.state.withLockedValue { $0.faults } }
        set {
            listener.site.state.withLockedValue { $0.faults = newValue }
            if newValue.isOffline { listener.dropConnections() }
        }
    }

    /// The requests that reached the server since it started or since ``resetRequests()``.
    ///
    /// Requests to `/_control` do not count, nor do those made while ``Faults/isOffline``. A client may repeat a request
    /// whose kept-alive connection was reset, as `URLSession` does: each attempt counts.
    public var requests: RequestLog {
        listener.site.state.withLockedValue { $0.log }
    }

    /// Forgets the requests counted so far.
    public func resetRequests() {
        listener.site.state.withLockedValue { $0.log.reset() }
    }
}
