import Foundation
import PigeonBase
import PigeonCore
import TestSupport
import Testing

@Suite("Locks")
struct LockedTests {
    /// Some holders sleep, so that the others sleep too, and must be woken.
    @Test("each of many threads that wait for a lock gets it", .rule("F2"), .timeLimit(.minutes(1)))
    func threads() async {
        let count = Shared()
        let ended = Watched(0)
        for _ in 0..<8 {
            Thread.detachNewThread {
                for round in 1...20_000 {
                    count.value.withLock { count in
                        count += 1
                        if round % 5_000 == 0 { Thread.sleep(forTimeInterval: 0.002) }
                    }
                }
                ended.update { $0 += 1 }
            }
        }
        await ended.wait { $0 == 8 }
        #expect(count.value.withLock { $0 } == 160_000)
    }

    @Test("a lock is free after an error, and after a value that was moved out of it")
    func errors() throws {
        struct Refused: Error {}
        let list = Locked([1])
        #expect(throws: Refused.self) { try list.withLock { _ in throw Refused() } }
        let taken = list.withLock { list in
            defer { list = [2] }
            return list
        }
        #expect(taken == [1] && list.withLock { $0 } == [2])
    }

    @Test("a lock releases its value, once")
    func release() {
        weak var object: Shared?
        do {
            let lock = Locked<Shared?>(Shared())
            object = lock.withLock { $0 }
            #expect(object != nil)
            _ = consume lock
        }
        #expect(object == nil)
    }

    private final class Shared: Sendable {
        let value = Locked(0)
    }
}
