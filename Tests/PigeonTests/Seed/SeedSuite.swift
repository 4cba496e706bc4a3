import Foundation
import Pigeon
import TestSupport
import Testing

/// What Pigeon's README says beside its code, which is in `Tests/Seeds`. Each test has a client and a configuration of its own;
/// one at a time, as they share the process's `UserDefaults`.
@MainActor
@Suite("What Pigeon's README says beside its code", .serialized, OwnSharedState())
struct SeedSuite {
    static func begin() {
        QueryCache.setGlobal(.init(wrappedCache: InMemoryQueryCache()))
        UserDefaultsQueryCache.shared.removeAll()
    }
}
