import NIOConcurrencyHelpers
import PigeonCore

/// The system's clock, which can be set forward, so that values age without a wait.
final class ForwardClock: QueryClock {
    private let system = SystemClock()
    private let ahead = NIOLockedValueBox(Duration.zero)

    func now() -> MonotonicInstant {
        system.now().advanced(by: ahead.withLockedValue { $0 })
    }

    func schedule(at deadline: MonotonicInstant, _ action: @escaping @Sendable () -> Void) -> AlarmHandle {
        system.schedule(at: deadline.advanced(by: .zero - ahead.withLockedValue { $0 }), action)
    }

    func setForward(by duration: Duration) {
        ahead.withLockedValue { $0 += duration }
    }
}
