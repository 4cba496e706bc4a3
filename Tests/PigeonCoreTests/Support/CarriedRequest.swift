import PigeonCore
import TestSupport

/// A request that notes how its fetch ended.
final class CarriedRequest: FetchRequest {
    private let noted = Locked<[String]>([])
    private let listener: @Sendable () -> Void

    init(listener: @escaping @Sendable () -> Void = {}) {
        self.listener = listener
    }

    var ends: [String] { noted.withLock { $0 } }

    func fetchEnded(isSuperseded: Bool) {
        noted.withLock { $0.append(isSuperseded ? "superseded" : "ended") }
        listener()
    }
}
