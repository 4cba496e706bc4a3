import PigeonCore
import PigeonHTTP

struct Parcel: Identifiable, Codable, Hashable, Sendable, CustomStringConvertible {
    enum Status: String, Codable { case packed, shipped, delivered }
    let id: Int
    var name: String
    var status: Status
    let depotID: Int
    var description: String { "\(id) \(name), \(status.rawValue)" }
}

struct TrackedParcel: Codable, Hashable, Sendable, CustomStringConvertible {
    var parcel: Parcel
    let depot: Depot
    var description: String { "\(parcel), at \(depot.name)" }
}

struct Depot: Codable, Hashable, Sendable { let name: String }

protocol ParcelAPI: Sendable {
    func parcels(page: Int, for context: PageContext<[Parcel]>) async throws -> [Parcel]
    func parcels(named text: String) async throws -> [Parcel]
    func parcel(_ id: Int) async throws -> Parcel
    func depot(_ id: Int) async throws -> Depot
    func rename(_ id: Int, to name: String) async throws -> Parcel
}

extension NetworkDispatcher: ParcelAPI {
    /// Sends the page's ETag. If the page has not changed, the server answers with 304 and no content.
    func parcels(page: Int, for context: PageContext<[Parcel]>) async throws -> [Parcel] {
        try await value(from: .get("/parcels?page=\(page)"), for: context)
    }
    func parcels(named text: String) async throws -> [Parcel] { try await value(from: .get("/parcels?name=\(text)")) }
    func parcel(_ id: Int) async throws -> Parcel { try await value(from: .get("/parcels/\(id)")) }
    func depot(_ id: Int) async throws -> Depot { try await value(from: .get("/depots/\(id)")) }
    func rename(_ id: Int, to name: String) async throws -> Parcel {
        try await value(from: .patch("/parcels/\(id)", json: ["name": name]))
    }
}
