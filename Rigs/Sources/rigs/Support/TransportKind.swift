internal import ArgumentParser
internal import Foundation
internal import PigeonCore
internal import PigeonHTTP
internal import PigeonREST

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The transports of PigeonHTTP.
enum TransportKind: String, CaseIterable, ExpressibleByArgument {
    case urlSession
    case asyncHTTPClient

    func make() -> any HTTPTransport {
        switch self {
        case .urlSession: URLSessionTransport()
        case .asyncHTTPClient: AsyncHTTPClientTransport()
        }
    }
}

/// What a rig asks a dispatcher for.
enum Verb: String, CaseIterable, ExpressibleByArgument {
    case response, stream, download, events
    /// A list of a REST service, which looks for the next page in the answer's `Link` header.
    case list

    /// Asks, reads all there is, and says how it ended: `ok 200`, or the error in a few words.
    func perform(_ dispatcher: NetworkDispatcher, _ request: BasicRequest, in folder: Folder) async -> String {
        do {
            switch self {
            case .response:
                return "ok \(try await dispatcher.response(from: request).statusCode.rawValue)"
            case .stream:
                let answer = try await dispatcher.stream(from: request)
                for try await _ in answer.data {}
                return "ok \(answer.statusCode.rawValue)"
            case .download:
                var options = DownloadOptions()
                options.limit = 8 << 20
                let answer = try await dispatcher.download(
                    from: request, to: folder.file(UUID().uuidString), options: options)
                return "ok \(answer.statusCode.rawValue)"
            case .events:
                var count = 0
                for try await _ in dispatcher.events(from: request, limit: 1 << 18) { count += 1 }
                return "ended after \(count) events"
            case .list:
                return try await Self.loadList(dispatcher, request)
            }
        } catch {
            return Self.words(for: error)
        }
    }

    private static func loadList(_ dispatcher: NetworkDispatcher, _ request: BasicRequest) async throws -> String {
        let service = Service(
            baseURL: dispatcher.serverProvider?.baseURL, standardTransformers: [], networking: dispatcher,
            client: QueryClient(), callbacks: .immediate)
        service.configure { $0.headers.merge(request.headers) { $1 } }
        service.configureTransformer("/**") { (_: Entity<Data>) in ["item"] }
        defer { withExtendedLifetime(service) {} }
        let list = try await service.client.fetch(service.pages(request.path, of: String.self))
        return "ok 200 with \(list.flatMap(\.items).count) items\(list.hasNext ? " and a next page" : "")"
    }

    private static func words(for error: any Error) -> String {
        switch error {
        case HTTPError.status(let response): "status \(response.statusCode.rawValue)"
        case HTTPError.transport(let error): "URLError \(error.code.rawValue)"
        case let error as URLError: "URLError \(error.code.rawValue)"
        case HTTPError.bodyTooLarge: "too large"
        case HTTPError.cancelled: "cancelled"
        case HTTPError.redirection: "redirection refused"
        case let error as PigeonREST.RequestError: error.cause.map(words) ?? "status \(error.httpStatusCode ?? 0)"
        default: "\(type(of: error))"
        }
    }
}
