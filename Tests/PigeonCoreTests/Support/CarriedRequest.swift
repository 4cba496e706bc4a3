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

    func fetchEnded(_ end: FetchEnd) {
        let text =
            switch end {
            case .answered: "answered"
            case .failed(let error): "\(error)"
            case .cancelled: "cancelled"
            case .superseded: "superseded"
            }
        noted.withLock { $0.append(text) }
        listener()
    }
}
