import DemoHTTP
import Foundation
import NIOConcurrencyHelpers
import NIOHTTP1

extension HubSite {
    func read(_ route: Route, _ request: Request, _ viewer: String?) throws -> Response {
        let stars = state.withLockedValue { $0.stars }
        let writer = Writer(origin: request.origin, directory: directory, stars: stars)
        switch route {
        case .user(let login): return try .json(writer.user(directory.user(login)))
        case .currentUser:
            guard let viewer else { throw Refusal.requiresAuthentication }
            return try .json(writer.user(directory.user(viewer)))
        case .repositories(let login): return try repositories(of: login, request, viewer, writer)
        case .search: return try search(request, viewer, writer)
        case .repository(let owner, let name):
            return try .json(writer.repository(directory.repository(owner, name, seenBy: viewer)))
        case .languages(let owner, let name):
            let languages = try directory.repository(owner, name, seenBy: viewer).languages
            return try .json(JSON.object(languages.mapValues(JSON.number)))
        case .contributors(let owner, let name):
            return try contributors(directory.repository(owner, name, seenBy: viewer), request, writer)
        case .avatar(let login): return try avatar(of: login)
        case .starred: throw Refusal.notFound
        }
    }

    private func repositories(
        of login: String, _ request: Request, _ viewer: String?, _ writer: Writer
    ) throws -> Response {
        let user = try directory.user(login)
        let seen = directory.repositories.filter { $0.owner == user.login && $0.isSeen(by: viewer) }
        let sorted = seen.sorted(by: request.values(of: "sort").first, request.values(of: "direction").first)
        let page = try Page(of: sorted, request: request, resource: "Repository")
        return try .json(page.records.map(writer.repository), headers: page.headers)
    }

    private func search(_ request: Request, _ viewer: String?, _ writer: Writer) throws -> Response {
        let query = try SearchQuery(request.values(of: "q").first ?? "")
        let found = directory.repositories.filter {
            $0.isSeen(by: viewer) && query.matches($0, stars: writer.stars.count(of: $0))
        }
        let isAscending = request.values(of: "order").first == "asc"
        let sorted =
            if request.values(of: "sort").first == "updated" {
                found.sorted { isAscending ? $0.updatedAt < $1.updatedAt : $0.updatedAt > $1.updatedAt }
            } else {
                found.sorted { one, other in
                    let (one, other) = (writer.stars.count(of: one), writer.stars.count(of: other))
                    return isAscending ? one < other : one > other
                }
            }
        let page = try Page(of: sorted, request: request, resource: "Search")
        guard try !page.records.isEmpty || request.positive("page", of: "Search") ?? 1 <= 10 else {
            throw Refusal.beyondLastResult
        }
        let body: JSON = [
            "total_count": .number(found.count), "incomplete_results": false,
            "items": .array(page.records.map(writer.repository)),
        ]
        return try .json(body, headers: page.headers)
    }

    /// As at GitHub, a repository that nobody wrote in has no list: 204.
    private func contributors(_ repository: Repository, _ request: Request, _ writer: Writer) throws -> Response {
        guard !repository.contributors.isEmpty else { return Response(status: .noContent) }
        let page = try Page(of: repository.contributors, request: request, resource: "Contributor")
        return try .json(page.records.map(writer.contributor), headers: page.headers)
    }

    private func avatar(of login: String) throws -> Response {
        let user = try directory.user(login)
        let picture = Picture(of: user.login.lowercased())
        return Response(status: .ok, headers: ["Content-Type": "image/png"], body: picture.png)
    }
}

extension [Repository] {
    /// Returns the repositories by name, unless `sort` says by a date, the latest first; `direction` turns either.
    fileprivate func sorted(by sort: String?, _ direction: String?) -> [Repository] {
        switch sort {
        case "updated", "pushed":
            sorted { direction == "asc" ? $0.updatedAt < $1.updatedAt : $0.updatedAt > $1.updatedAt }
        case "created":
            sorted { direction == "asc" ? $0.createdAt < $1.createdAt : $0.createdAt > $1.createdAt }
        default: sorted { direction == "desc" ? $0.key > $1.key : $0.key < $1.key }
        }
    }
}
