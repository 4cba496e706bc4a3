import Foundation
import PigeonREST

/// Who is signed in, and where what they see is kept between runs.
struct Session: Sendable {
    /// `nil` for nobody.
    let token: String?
    /// `nil` where nothing is kept.
    let cache: PersistentEntityCache<Data>?
    /// The user to whom the data belongs.
    let isolation: DataIsolation

    init(token: String?, cache: (any QueryCacheType)?) {
        self.token = token
        let isolation = DataIsolation.perUser(identifiedBy: token ?? "")
        self.isolation = isolation
        self.cache = cache.map { PersistentEntityCache(in: $0, name: "github", isolation: isolation) }
    }
}
