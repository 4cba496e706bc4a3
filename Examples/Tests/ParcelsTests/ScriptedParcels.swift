import Foundation
import NIOConcurrencyHelpers
import PigeonCore
import PigeonHTTP
import PigeonTesting
import Testing

@testable import Parcels

/// An API whose answers a test decides.
struct ScriptedParcels: ParcelAPI {
    let lists: ScriptedFetcher<[Parcel]>
    let items: ScriptedFetcher<Parcel>
    let depots: ScriptedFetcher<Depot>

    init(_ lab: QueryLab) {
        lists = lab.fetcher(returning: [Parcel].self)
        items = lab.fetcher(returning: Parcel.self)
        depots = lab.fetcher(returning: Depot.self)
    }

    /// Gives each page a tag, and answers with "not modified" if the page is the one that the client has.
    func parcels(page: Int, for context: PageContext<[Parcel]>) async throws -> [Parcel] {
        let parcels = try await lists.call("page", page, context.validators.eTag ?? "no tag")
        guard parcels != context.previous else { return try context.notModified() }
        context.validators.eTag = "tag \(page)"
        return parcels
    }
    func parcels(named text: String) async throws -> [Parcel] { try await lists.call("named", text) }
    func parcel(_ id: Int) async throws -> Parcel { try await items.call(id) }
    func depot(_ id: Int) async throws -> Depot { try await depots.call(id) }
    func rename(_ id: Int, to name: String) async throws -> Parcel { try await items.call("rename", id, name) }
}

/// The lines that the tool has printed.
final class Lines: Sendable {
    private let lines = NIOLockedValueBox<[String]>([])

    var all: [String] { lines.withLockedValue { $0 } }
    @Sendable func append(_ line: String) { lines.withLockedValue { $0.append(line) } }

    /// Returns the lines since the last call.
    func take() -> [String] {
        lines.withLockedValue { lines in
            defer { lines = [] }
            return lines
        }
    }
}

/// A folder that is removed with its owner.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("parcels-tests-\(UUID())")

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// The error with which a request ends after an answer.
func failure(after answer: MockAnswer) async throws -> HTTPError {
    let mock = MockTransport()
    mock.answer(.get, "/depots/1", with: answer)
    let url = try #require(URL(string: "https://parcels.example"))
    let http = NetworkDispatcher(baseURL: url, transport: mock)
    let error = await #expect(throws: HTTPError.self) { try await http.depot(1) }
    return try #require(error)
}
