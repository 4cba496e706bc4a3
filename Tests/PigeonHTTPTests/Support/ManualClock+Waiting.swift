import PigeonHTTP
import PigeonTesting
import TestSupport

extension ManualClock {
    /// Waits until so many alarms are set.
    func alarms(count: Int = 1) async {
        await until { alarmCount >= count }
    }

    /// Waits until the task is cancelled.
    func never() async throws {
        try await sleep(for: .seconds(1))
    }
}
