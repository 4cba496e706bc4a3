import PigeonHTTP
import PigeonTesting
import TestSupport

extension ManualClock {
    /// Waits until at least `count` alarms are set.
    func alarms(count: Int = 1) async {
        await until { alarmCount >= count }
    }

    /// Waits until the task is cancelled. The test must not advance the clock.
    func never() async throws {
        try await sleep(for: .seconds(1))
    }
}
