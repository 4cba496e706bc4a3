internal import PigeonBase
internal import PigeonCore

/// Brings the value of a query.
final class QueryFetch<Value: Sendable>: RequestDelegate {
    private let definition: QueryDefinition<Value>
    private let client: QueryClient
    private let task = Locked<Task<Void, Never>?>(nil)

    init(definition: QueryDefinition<Value>, client: QueryClient) {
        self.definition = definition
        self.client = client
    }

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        let new = launchImmediately { [definition, client] in
            completionHandler.broadcastResponse(ResponseInfo(response: await Self.response(definition, client)))
        }
        task.withLock { $0 = new }
    }

    private static func response(_ definition: QueryDefinition<Value>, _ client: QueryClient) async -> Response {
        do {
            let value = try await client.fetch(definition)
            return .success(Entity(content: value, contentType: "application/octet-stream"))
        } catch {
            return .failure(RequestError(error))
        }
    }

    func cancelUnderlyingOperation() {
        task.withLock { $0 }?.cancel()
    }

    func repeated() -> any RequestDelegate {
        QueryFetch(definition: definition, client: client)
    }

    var requestDescription: String { "query \(definition.key)" }
}
