import Foundation
import PigeonREST
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Returns a resource of a service that has no other resources.
func resource(_ address: String = "https://example.com/users/1") -> Resource {
    Service().resource(absoluteURL: address)
}

func answer(_ status: Int = 200, _ headers: [String: String] = [:]) throws -> HTTPURLResponse {
    let url = try #require(URL(string: "https://example.com/users/1"))
    return try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: headers))
}

/// Waits until the main actor has done all work that was scheduled so far.
func turn() async {
    await Task { @MainActor in }.value
}

/// Blocks the caller's thread, on purpose.
func blocking(_ wait: () -> Void) { wait() }

extension Entity<any Sendable> {
    /// Returns an entity as a server sends it.
    static func body(_ text: String, _ contentType: String = "application/json") -> Self {
        body(Data(text.utf8), contentType)
    }

    static func body(_ data: Data, _ contentType: String = "application/json") -> Self {
        Entity(content: data, contentType: contentType)
    }
}

extension StageCache {
    func read(for resource: Resource) async -> Entity<any Sendable>? { await record(of: resource)?.read() }

    func write(_ entity: Entity<any Sendable>, for resource: Resource) async {
        await record(of: resource)?.write(entity)
    }

    func touch(timestamp: TimeInterval, for resource: Resource) async {
        await record(of: resource)?.touch(timestamp: timestamp)
    }

    func remove(for resource: Resource) async { await record(of: resource)?.remove() }
}

extension Pipeline {
    func rehydrate(
        for resource: Resource, now: TimeInterval = Date.timeIntervalSinceReferenceDate
    ) async -> Rehydration? {
        await rehydrate(from: CacheRecords(of: resource, in: caches), now: now)
    }
}

extension Response {
    var entity: Entity<any Sendable>? { try? get() }

    var error: RequestError? {
        guard case .failure(let error) = self else { return nil }
        return error
    }

    /// Returns the content as a type.
    func content<Content>(_ type: Content.Type = Content.self) -> Content? { entity?.typedContent() }

    /// Returns the cause of a failure as a type.
    func cause<Cause>(_ type: Cause.Type = Cause.self) -> Cause? { error?.cause as? Cause }
}

/// A transformer made from a closure.
struct Transformer: ResponseTransformer {
    let transform: @Sendable (Response) -> Response

    init(_ transform: @escaping @Sendable (Response) -> Response) {
        self.transform = transform
    }

    func process(_ response: Response) -> Response { transform(response) }
}
