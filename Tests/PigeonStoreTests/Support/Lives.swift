import PigeonStore

/// Counts the objects that exist.
final class Lives: Sendable {
    private let counter = Locked((living: 0, made: 0))

    var living: Int { counter.withLock { $0.living } }
    var made: Int { counter.withLock { $0.made } }

    func token() -> Token {
        counter.withLock {
            $0.living += 1
            $0.made += 1
        }
        return Token(self)
    }

    final class Token: Sendable {
        private let lives: Lives
        fileprivate init(_ lives: Lives) { self.lives = lives }
        deinit { lives.counter.withLock { $0.living -= 1 } }
    }
}

/// A key that is counted while it is retained.
struct CountedKey: Hashable, Sendable, CustomStringConvertible {
    let id: Int
    let token: Lives.Token

    var description: String { "\(id)" }
    static func == (one: CountedKey, other: CountedKey) -> Bool { one.id == other.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A fetcher that is counted while it is retained.
struct CountedFetcher<PARAM: Hashable & Sendable>: PigeonStore.Fetcher {
    let origin: Origin<String>
    let token: Lives.Token

    func fetch(param: PARAM) async throws -> String { try await origin.ask("\(param)") }
}

/// Returns true if the object that a closure creates is released after it.
func isFreed<Object: AnyObject>(_ make: () throws -> Object) rethrows -> Bool {
    weak var object: Object?
    try { object = try make() }()
    return object == nil
}
