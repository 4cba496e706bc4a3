internal import Foundation
internal import PigeonHTTP
internal import PigeonStore

/// Answers at once, from memory: what is left is the library.
struct InstantTransport: HTTPTransport {
    let answer: TransportResponse<Data>

    init() throws {
        answer = TransportResponse(
            status: 200, headers: ["Content-Type": "application/json"], body: try JSONEncoder().encode(Article(1)))
    }

    func send(
        _ request: TransportRequest, limit: Int?, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<Data> { answer }

    func stream(
        _ request: TransportRequest, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<HTTPChunks> { throw .cancelled }
}

/// Answers at once.
struct UserFetcher: PigeonStore.Fetcher {
    func fetch(param: Int) async throws -> User { User(param) }
}

/// An object for which observers are added.
final class Owner: Sendable {}
