public import Foundation
internal import PigeonBase
public import PigeonCore
public import PigeonOutbox

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A request that is sent even if the process ends first, or if there is no network for days.
///
/// ```swift
/// let client = QueryClient(outbox: Outbox.Setup(store: store, mutations: [RecordedRequest.self]))
/// let api = Service(baseURL: "https://api.example.com", client: client)
/// try await api.resource("/notes/7").enqueue(.patch, json: ["title": "Milk"])
/// ```
///
/// It is data: the method, the address, and the body. It is sent by the service that has the base URL at that time, with
/// the headers of that service's configuration, such as credentials, and with the header `Idempotency-Key`. Until it is
/// confirmed, resources show the edits of ``Configuration/optimistic(_:)``.
///
/// After a restart, it waits until the program has created that service, and has had time to configure it: until the first
/// resource is used, a second has passed, or ``/PigeonOutbox/Outbox/drain(within:)`` is called.
public struct RecordedRequest: DurableMutation {
    /// The name of the type in records.
    public static let name = "PigeonREST.RecordedRequest"

    /// The base URL of the service.
    public let service: URL
    /// The address.
    public let url: URL
    /// The method.
    public let method: RequestMethod
    /// The body. `nil` for none.
    public var body: Data?
    /// The type of the body. `nil` for none.
    public var contentType: String?
    /// Requests of one scope are sent in order.
    public let scope: String?
    /// The addresses of other resources that the request changes. They are loaded again after it, if they are observed.
    public let reloaded: [URL]

    /// Sends the request.
    ///
    /// - Returns: The response's body as the service's pipeline has parsed it.
    /// - Throws: The ``RequestError``.
    public func run(_ context: MutationContext) async throws -> Entity<any Sendable> {
        guard let service = context.client.service(at: service), service.isReady || context.client.outbox.isDraining
        else { throw MutationNotReady() }
        let request = service.resource(absoluteURL: url).request(method) { [body, contentType] request in
            request.httpBody = body
            if let contentType { request.setValue(contentType, forHTTPHeaderField: "Content-Type") }
            request.setValue(context.idempotencyKey, forHTTPHeaderField: "Idempotency-Key")
        }
        return try await withCancellationHandler {
            try await request.entity()
        } onCancel: {
            request.cancel()
        }
    }

    /// Marks the resource and those to load again as stale.
    public func succeeded(_ output: Entity<any Sendable>, _ writes: CacheWrites) {
        guard let service = writes.client.service(at: service) else { return }
        for url in changed { writes.invalidate(.key(service.resource(absoluteURL: url).queryKey)) }
    }

    /// Shows the edits of the configurations of the resources that the request changes.
    public func optimistic(_ edits: inout OptimisticEdits) {
        guard let service = edits.client.service(at: service) else { return }
        for url in changed {
            let key = service.resource(absoluteURL: url).queryKey
            edits.update(.key(key), as: Entity<any Sendable>.self) { [weak service] entity in
                guard let edits = service?.resource(absoluteURL: url).configuration.optimisticEdits else { return }
                for edit in edits { edit(&entity, self) }
            }
        }
    }

    /// The addresses of the resources that the request changes.
    private var changed: Set<URL> { Set([url] + reloaded) }
}

extension Resource {
    /// Records a request with JSON, which is then sent whatever happens to the process or the network.
    ///
    /// The client of the service must have an ``/PigeonOutbox/Outbox`` to which ``RecordedRequest`` is registered.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - json: The body.
    ///   - scope: Requests of one scope are sent in order. The default is the address of the resource.
    ///   - reloading: Other resources that the request changes. Their ``Configuration/optimistic(_:)`` applies, and they
    ///     are stale once the request has succeeded.
    /// - Returns: The recorded request, with which a caller can wait for the response.
    /// - Throws: ``RequestError`` if the value cannot be written as JSON or the address is not valid.
    ///   ``/PigeonOutbox/OutboxError`` if it cannot be recorded.
    @discardableResult
    public func enqueue(
        _ method: RequestMethod, json: any JSONConvertible, scope: String? = nil, reloading: [Resource] = []
    ) async throws -> EnqueuedMutation<Entity<any Sendable>> {
        let body = try RequestBody.json(json)
        return try await enqueue(
            method, data: body, contentType: "application/json", scope: scope, reloading: reloading)
    }

    /// Records a request with any body or none, as ``enqueue(_:json:scope:reloading:)`` does.
    @discardableResult
    public func enqueue(
        _ method: RequestMethod, data: Data? = nil, contentType: String? = nil, scope: String? = nil,
        reloading: [Resource] = []
    ) async throws -> EnqueuedMutation<Entity<any Sendable>> {
        if let wrongAddress { throw failing(RequestError(wrongAddress)) }
        guard let base = service.baseURL else {
            throw failing(RequestError(RequestError.Cause.InvalidURL(urlSource: url)))
        }
        let request = RecordedRequest(
            service: base, url: url, method: method, body: data, contentType: contentType,
            scope: scope ?? url.absoluteString, reloaded: reloading.map(\.url))
        service.becomeReady()
        return try await client.enqueue(request)
    }
}

extension Service {
    /// Lets recorded requests find the service by its base URL, once it is configured.
    func offerToOutbox() {
        guard let baseURL, client.outbox.isAvailable else { return }
        client.attachments.withLock { $0[Self.attachment(baseURL)] = WeakService(self) }
        let clock = client.environment.clock
        let offer = clock.schedule(at: clock.now().advanced(by: .seconds(1))) { [weak self] in self?.becomeReady() }
        state.withLock { $0.offer = offer }
    }

    /// False until the configuration is complete, as far as one can know: the first use of a resource needs it.
    var isReady: Bool { state.withLock { $0.isReady } }

    /// Sends recorded requests from now on, and shows their edits.
    func becomeReady() {
        let (isNew, offer) = state.withLock { state in
            defer { (state.isReady, state.offer) = (true, nil) }
            return (!state.isReady, state.offer)
        }
        offer?.cancel()
        guard isNew, let baseURL else { return }
        client.outbox.becameReady { ($0 as? RecordedRequest)?.service == baseURL }
    }

    fileprivate static func attachment(_ baseURL: URL) -> String { "PigeonREST \(baseURL.absoluteString)" }
}

extension QueryClient {
    fileprivate func service(at baseURL: URL) -> Service? {
        (attachments.withLock { $0[Service.attachment(baseURL)] } as? WeakService)?.service
    }
}

private struct WeakService: @unchecked Sendable {  // set once; weak loads are atomic
    weak var service: Service?

    init(_ service: Service) {
        self.service = service
    }
}
