import Foundation
import PigeonStore
import PigeonTesting

/// Texts that expire by the clock of a lab.
final class TextCacher: Cacher<Int, String>, @unchecked Sendable {  // its own properties are Sendable
    private let environment: QueryEnvironment
    private let lifetime: TimeInterval
    private let name: QueryKey

    init(_ lab: QueryLab, expireSeconds: TimeInterval = .infinity, queryKey: QueryKey = "texts") {
        environment = lab.environment
        lifetime = expireSeconds
        name = queryKey
        super.init()
    }

    override var expireSeconds: TimeInterval { lifetime }
    override var queryKey: QueryKey { name }
    override var epochSeconds: Double { environment.wallClock().timeIntervalSince1970 }
}

struct TextFetcher: PigeonStore.Fetcher {
    let origin: Origin<String>

    func fetch(param: Int) async throws -> String { try await origin.ask("\(param)") }
}

/// A lab with stores of texts.
struct TextDesk {
    let lab: QueryLab
    let origin: Origin<String>
    let cacher: TextCacher

    init(expireSeconds: TimeInterval = .infinity, options: QueryOptions = QueryOptions()) {
        lab = QueryLab(options: options)
        origin = Origin(lab)
        cacher = TextCacher(lab, expireSeconds: expireSeconds)
    }

    func store(_ param: Int = 1, client: QueryClient? = nil) -> AnyStoreFlowable<Int, String> {
        .from(cacher: cacher, fetcher: TextFetcher(origin: origin), param: param, client: client ?? lab.client)
    }

    /// Saves a text in the cache as if it had been fetched now.
    func cache(_ text: String, _ param: Int = 1) async throws {
        try await cacher.saveData(data: text, param: param)
        try await cacher.saveDataCachedAt(epochSeconds: cacher.epochSeconds, param: param)
    }

    /// Observes a store, and answers its fetch with a text.
    func follow(_ param: Int = 1, having text: String) -> StoreLog {
        let log = StoreLog(store(param))
        origin.answer(text)
        _ = log.take()
        return log
    }
}

extension QueryLab {
    /// Invalidates entries, and runs the resulting work.
    func invalidate(_ filter: KeyFilter, refetch: RefetchScope = .active) {
        client.invalidate(filter, refetch: refetch)
        settle()
    }
}
