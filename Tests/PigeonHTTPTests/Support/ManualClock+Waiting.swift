import PigeonHTTP
import PigeonTesting

extension ManualClock {
    /// Waits until so many alarms are set.
    func alarms(count: Int = 1) async {
        while alarmCount < count, !Task.isCancelled { await Task.yield() }
    }

    /// Waits until the task is cancelled.
    func never() async throws {
        try await sleep(for: .seconds(1))
    }
}
