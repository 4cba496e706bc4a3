import DemoHTTP
import Foundation
import NIOConcurrencyHelpers
import NIOHTTP1

extension HubSite {
    func response(to visit: Visit) -> Response {
        let settings = state.withLockedValue { $0.settings }
        let viewer = Viewer(visit.request, accounts: settings.accounts)
        // Pictures come from another host at GitHub, which does not ask who wants them.
        guard visit.request.path.first != "avatars" else {
            return attempt(visit, as: .anonymous, settings).validated(for: visit.request, by: settings)
        }
        var response = limited(visit, as: viewer, settings)
        response.headers.add(name: "Vary", value: "Accept, Authorization, Accept-Encoding")
        return response
    }

    /// Carries out a request where the rate limit allows it, and says in the headers what is left.
    private func limited(_ visit: Visit, as viewer: Viewer, _ settings: Settings) -> Response {
        let client = viewer == .unknown ? .anonymous : viewer
        let rate = settings.rateLimit
        let limit = client == .anonymous ? rate.anonymous : rate.signedIn
        let now = settings.now()
        let isAllowed = state.withLockedValue { state in
            state.stars.settle(now: now)
            return state.uses[client, default: RateUse()].take(limit: limit, window: rate.window, now: now)
        }
        var response = isAllowed ? attempt(visit, as: viewer, settings) : Refusal.rateLimitExceeded.response
        response = response.validated(for: visit.request, by: settings)
        let headers = state.withLockedValue { state in
            if response.status == .notModified { state.uses[client]?.refund() }
            return state.uses[client, default: RateUse()].headers(limit: limit)
        }
        response.headers.add(contentsOf: headers)
        return response
    }

    private func attempt(_ visit: Visit, as viewer: Viewer, _ settings: Settings) -> Response {
        do {
            if case .status(let status, let retryAfter) = visit.fault {
                throw Refusal.fault(status: status, retryAfter: retryAfter)
            }
            guard viewer != .unknown else { throw Refusal.badCredentials }
            let response = try carryOut(visit.request, viewer.login, settings)
            if visit.fault == .lostAnswer { throw Refusal.fault(status: 504, retryAfter: nil) }
            return response
        } catch let refusal as Refusal {
            return refusal.response
        } catch {
            return Refusal.fault(status: 500, retryAfter: nil).response
        }
    }

    private func carryOut(_ request: Request, _ viewer: String?, _ settings: Settings) throws -> Response {
        guard !request.isTooLarge else { throw Refusal.tooLarge }
        let route = try Route(request.path)
        guard route.methods.contains(request.method) else { throw Refusal.methodNotAllowed(route.methods) }
        try request.checkBody()
        if case .starred(let owner, let name) = route {
            guard let viewer else { throw Refusal.requiresAuthentication }
            let repository = try directory.repository(owner, name, seenBy: viewer)
            return try star(repository, viewer, request.method, due: settings.starDue)
        }
        return try read(route, request, viewer)
    }

    private func star(
        _ repository: Repository, _ viewer: String, _ method: HTTPMethod, due: Date
    ) throws(Refusal) -> Response {
        let isStarred = state.withLockedValue { state in
            switch method {
            case .PUT: state.stars.star(repository, by: viewer, due: due)
            case .DELETE: state.stars.unstar(repository, by: viewer, due: due)
            default: return state.stars.isStarred(repository, by: viewer)
            }
            return true
        }
        guard isStarred else { throw .notFound }
        return Response(status: .noContent)
    }
}

extension Settings {
    fileprivate var starDue: Date {
        now().addingTimeInterval(starCountDelay / .seconds(1))
    }
}

extension Request {
    /// Refuses a body that is not a JSON object; none is needed.
    fileprivate func checkBody() throws(Refusal) {
        guard !body.isEmpty else { return }
        guard let value = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed) else {
            throw .brokenJSON
        }
        guard value is [String: Any] else { throw .noObject }
    }
}

extension Response {
    fileprivate func validated(for request: Request, by settings: Settings) -> Response {
        let age = settings.maxAge.map { "private, max-age=\($0)" }
        guard settings.entityTags == Settings.EntityTags.none else {
            return validated(for: request, about: "Link", isWeak: settings.entityTags == .weak, cacheControl: age)
        }
        guard let age, status == .ok else { return self }
        var response = self
        response.headers.add(name: "Cache-Control", value: age)
        return response
    }
}
