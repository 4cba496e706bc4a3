import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A service in a lab whose requests the test answers. Everything except hooks and caches runs on the test's thread,
/// when the test says so.
final class RESTBench: Sendable {
    let lab: QueryLab
    let provider = ManualProvider()
    let service: Service
    let owner = Owner()

    init(
        baseURL: String? = "https://api.test/v1", budget: Int? = nil, cache: (any QueryCacheType)? = nil,
        transformers: [StandardTransformer] = [], callbacks: CallbackDelivery = .immediate
    ) {
        lab = QueryLab(cache: cache, budget: budget)
        service = Service(
            baseURL: baseURL, standardTransformers: transformers, networking: provider, client: lab.client,
            callbacks: callbacks)
    }

    var client: QueryClient { lab.client }

    /// The requests so far, in order.
    var asked: [ManualExchange] { provider.exchanges }

    func resource(_ path: String = "/users/1") -> Resource { service.resource(path) }

    /// Answers a request. By default the newest.
    func answer(
        _ text: String = "", status: Int = 200, headers: [String: String] = [:], to number: Int? = nil
    ) {
        lab.settle()
        let exchanges = provider.exchanges
        exchanges[number ?? exchanges.count - 1].answer(text, status: status, headers: headers)
        lab.settle()
    }

    func fail(_ code: URLError.Code = .notConnectedToInternet, to number: Int? = nil) {
        let exchanges = provider.exchanges
        exchanges[number ?? exchanges.count - 1].fail(code)
        lab.settle()
    }

    /// Returns a resource that has just loaded its content.
    func loaded(_ path: String = "/users/1", _ text: String = "Ann", _ headers: [String: String] = [:]) -> Resource {
        let resource = resource(path)
        resource.load()
        answer(text, headers: headers)
        return resource
    }

    /// Records the events of a resource's observer, each with the loading state and the content.
    func record(_ resource: Resource, owner: AnyObject? = nil) -> Recorder<String> {
        let heard = Recorder<String>()
        resource.addObserver(owner: owner ?? self.owner) { resource, event in
            heard.append("\(event) \(resource.isLoading ? "loading" : "idle") \(resource.body)")
        }
        return heard
    }

    /// Lets caches and tasks work until a condition holds.
    func until(_ condition: () -> Bool, fileID: String = #fileID, line: Int = #line) async {
        await TestSupport.until(
            {
                lab.settle()
                return condition()
            }, fileID: fileID, line: line)
    }

    /// Waits until the persistent caches have carried out all calls so far.
    func settleCaches() async {
        let isDone = Locked(false)
        let task = Task { [service] in
            await service.settlePersistentCaches()
            isDone.withLock { $0 = true }
        }
        await until { isDone.withLock { $0 } }
        await task.value
    }
}

extension Resource {
    /// The content as text, as it was received. Empty if there is no content.
    var body: String { String(decoding: typedContent() as Data? ?? Data(), as: UTF8.self) }

    /// Replaces the content, as if a server had sent the text.
    func show(_ text: String) { overrideLocalContent(with: Data(text.utf8)) }
}

extension ManualExchange {
    var method: String? { request.httpMethod }
    var url: String? { request.url?.absoluteString }
    var body: String { String(decoding: request.httpBody ?? Data(), as: UTF8.self) }

    func header(_ name: String) -> String? { request.value(forHTTPHeaderField: name) }
}

extension Request {
    /// Returns true if the request ended with a cancellation.
    func isCancelled() async -> Bool { await response().response.isCancellation }
}
