import PigeonStore
import SeedSupport
import Testing

/// The code of StoreFlowable's README, block by block. A block stands between `// [002.n` and `// 002.n]`, as it is written
/// there; where it has `...` or a comment for what an app does, a test writes down that it came to that.
@MainActor
@Suite("StoreFlowable's README", .serialized, .timeLimit(.minutes(1)), OwnSharedState())
struct Seed002 {
    /// Starts an app whose server has all users, and whose disk has none.
    static func begin() {
        App.world.withLock { $0 = App.World() }
        UserStateManager.shared.clearAll()
        UserListStateManager.shared.clearAll()
        MyStateManager.shared.clearAll()
    }
}

extension LoadingState {
    /// All that it holds: `a`, `a…` or `…` while loading, `!x` for an error, and what is not plain of its pages.
    var word: String {
        switch self {
        case .loading(let content): (content.map { "\($0)" } ?? "") + "…"
        case .completed(let content, let next, let prev):
            next.word == "end" && prev.word == "end" ? "\(content)" : "\(content) \(next.word) \(prev.word)"
        case .error(let error): "!\((error as? Broken)?.name ?? "\(error)")"
        }
    }
}

extension AdditionalLoadingState {
    var word: String {
        switch self {
        case .fixed(let more): more ? "more" : "end"
        case .loading: "page"
        case .error(let error): "!\((error as? Broken)?.name ?? "\(error)")"
        }
    }
}
