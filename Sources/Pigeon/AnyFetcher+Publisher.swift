import CombineShim
import PigeonCore

extension AnyFetcher {
    /// Creates a fetcher that runs a publisher.
    static func publisher<Value: Sendable>(
        request: any Sendable, _ make: @escaping @Sendable () -> AnyPublisher<Value, any Error>
    ) -> AnyFetcher {
        AnyFetcher(request: request) { run in
            let context = FetchContext<Value>(run: run)
            return switch await PublisherRun<Value>(show: { context.yield($0) }).end(of: make()) {
            case .value(let value): .value(PayloadOf(value))
            case .finished: .finished
            case .failure(let error): .failure(error)
            }
        }
    }
}
