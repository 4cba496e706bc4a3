import DemoHTTP
import Foundation
import NIOConcurrencyHelpers
import NIOHTTP1

/// Answers requests from the parcels it holds.
final class ParcelSite: Site {
    private struct State {
        var parcels = [
            Parcel(id: 1, name: "Books", status: .packed, depotID: 7),
            Parcel(id: 2, name: "Lamp", status: .shipped, depotID: 7),
            Parcel(id: 3, name: "Boots", status: .shipped, depotID: 8),
            Parcel(id: 4, name: "Seeds", status: .packed, depotID: 8),
            Parcel(id: 5, name: "Teapot", status: .delivered, depotID: 7),
        ]
        var log = RequestLog()
        var isClosed = false
    }

    private struct Parcel: Codable {
        enum Status: String, Codable {
            case packed, shipped, delivered

            var next: Status { self == .packed ? .shipped : .delivered }
        }

        let id: Int
        var name: String
        var status: Status
        let depotID: Int
    }

    private struct Depot: Codable {
        let id: Int
        let name: String
    }

    private struct Change: Decodable {
        let name: String
    }

    private let depots = [Depot(id: 7, name: "North"), Depot(id: 8, name: "Harbour")]
    private let pageSize = 3
    private let state = NIOLockedValueBox(State())

    var requests: RequestLog { state.withLockedValue { $0.log } }

    func arrive(_ request: Request) -> Visit? {
        state.withLockedValue { state in
            state.isClosed ? nil : Visit(request: request, number: state.log.append(request.record()))
        }
    }

    func answer(_ visit: Visit) -> Reply {
        let response = (try? response(to: visit.request)) ?? Response(status: .internalServerError)
        if let number = visit.number {
            state.withLockedValue { $0.log.answer(number, status: Int(response.status.code)) }
        }
        return .response(response)
    }

    func abandon(_ visit: Visit) {}

    func close() { state.withLockedValue { $0.isClosed = true } }

    private func response(to request: Request) throws -> Response {
        let id = request.path.count == 2 ? Int(request.path[1]) : nil
        return switch (request.method, request.path.first, id) {
        case (.GET, "parcels", nil) where request.path.count == 1: try list(request)
        case (.GET, "parcels", let id?): try parcel(id)
        case (.PATCH, "parcels", let id?): try rename(id, request)
        case (.GET, "depots", let id?): try depot(id)
        default: try refusal(.notFound)
        }
    }

    private func list(_ request: Request) throws -> Response {
        let all = state.withLockedValue { $0.parcels }
        if let text = request.values(of: "name").first?.lowercased() {
            return try Response.json(all.filter { $0.name.lowercased().contains(text) })
        }
        let page = max(request.number(of: "page") ?? 1, 1)
        return try Response.json(Array(all.dropFirst((page - 1) * pageSize).prefix(pageSize)))
            .validated(for: request, about: "Link", cacheControl: "no-cache")
    }

    private func parcel(_ id: Int) throws -> Response {
        let parcel = state.withLockedValue { state -> Parcel? in
            guard let index = state.parcels.firstIndex(where: { $0.id == id }) else { return nil }
            let parcel = state.parcels[index]
            if id == 1 { state.parcels[index].status = parcel.status.next }
            return parcel
        }
        guard let parcel else { return try refusal(.notFound) }
        return try Response.json(parcel)
    }

    private func depot(_ id: Int) throws -> Response {
        guard let depot = depots.first(where: { $0.id == id }) else { return try refusal(.notFound) }
        return try Response.json(depot)
    }

    private func rename(_ id: Int, _ request: Request) throws -> Response {
        let name = try JSONDecoder().decode(Change.self, from: request.body).name
        return try state.withLockedValue { state -> Response in
            guard let index = state.parcels.firstIndex(where: { $0.id == id }) else { return try refusal(.notFound) }
            guard !state.parcels.contains(where: { $0.name == name && $0.id != id }) else {
                return try refusal(.unprocessableEntity, "Another parcel is called \(name).")
            }
            state.parcels[index].name = name
            return try Response.json(state.parcels[index])
        }
    }

    private func refusal(_ status: HTTPResponseStatus, _ message: String? = nil) throws -> Response {
        guard let message else { return Response(status: status) }
        return try Response.json(["message": message], status: status)
    }
}
