/// A request that a transport carries. Each attempt and each redirect is a request of its own.
package struct RequestRecord: Sendable {
    /// Unique in the process.
    package let id: UInt64
    package let method: String
    /// The address, without secrets.
    package let address: String
    /// A command that repeats the request, without secrets and without the body.
    package let curl: String
    /// The time at which the request began, on the system's clock.
    package let start: MonotonicInstant
    /// The fetch that sent the request. `nil` if it was sent by no fetch.
    package let fetch: (any Sendable)?
    /// The status of the response. `nil` until its head has arrived.
    package var status: Int?
    /// The bytes of the body that have arrived.
    package var received: Int64 = 0
    /// The time until the head of the response had arrived.
    package var headAfter: Duration?
    /// The time until the request had ended. `nil` while it runs.
    package var duration: Duration?
    /// The error with which the request ended, without its content.
    package var error: String?

    package init(
        id: UInt64, method: String, address: String, curl: String, start: MonotonicInstant, fetch: (any Sendable)?
    ) {
        (self.id, self.method, self.address, self.curl) = (id, method, address, curl)
        (self.start, self.fetch) = (start, fetch)
    }
}

/// Reports the requests of this process to listeners. Without any, a request costs one read of a number.
package enum RequestLog {
    package typealias Listener = @Sendable (RequestRecord) -> Void

    /// Names the fetch in whose task a request is sent.
    package final class Fetch: Sendable {
        package let subject: any Sendable

        package init(_ subject: any Sendable) {
            self.subject = subject
        }
    }

    /// The fetch that runs in the current task. Set only while there are listeners.
    @TaskLocal package static var fetch: Fetch?

    private static let listenerCount = AtomicNumber()
    private static let recordCount = AtomicNumber()
    private static let listeners = Locked<(last: UInt64, all: [UInt64: Listener])>((0, [:]))

    package static var isOn: Bool { listenerCount.value > 0 }

    package static func nextID() -> UInt64 { recordCount.increment() }

    /// Calls a listener when a request begins, when the head of its response arrives, and when it ends, on any thread.
    ///
    /// - Returns: The number with which ``remove(_:)`` ends that.
    package static func add(_ listener: @escaping Listener) -> UInt64 {
        listeners.withLock { listeners in
            listeners.last += 1
            listeners.all[listeners.last] = listener
            listenerCount.set(UInt64(listeners.all.count))
            return listeners.last
        }
    }

    package static func remove(_ number: UInt64) {
        let old = listeners.withLock { listeners in
            defer { listenerCount.set(UInt64(listeners.all.count)) }
            return listeners.all.removeValue(forKey: number)
        }
        _ = old  // released outside the lock
    }

    package static func report(_ record: RequestRecord) {
        for listener in listeners.withLock({ Array($0.all.values) }) { listener(record) }
    }
}
