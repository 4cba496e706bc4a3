internal import ArgumentParser
internal import Foundation
internal import PigeonHTTP

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
            }
        } catch {
            return Self.words(for: error)
        }
    }

    private static func words(for error: any Error) -> String {
        switch error {
        case HTTPError.status(let response): "status \(response.statusCode.rawValue)"
        case HTTPError.transport(let error): "URLError \(error.code.rawValue)"
        case HTTPError.bodyTooLarge: "too large"
        case HTTPError.cancelled: "cancelled"
        case HTTPError.redirection: "redirection refused"
        default: "\(type(of: error))"
        }
    }
}
