import DemoHTTP
import NIOConcurrencyHelpers

extension BlogSite {
    func read(_ route: Route, _ request: Request) throws -> Response {
        let blog = state.withLockedValue { $0.blog }
        switch route {
        case .list(.users): return try list(blog.users, request)
        case .list(.posts): return try list(blog.posts, request)
        case .list(.comments): return try list(blog.comments, request)
        case .item(.users, let id): return try .json(blog.users.item(id))
        case .item(.posts, let id): return try .json(blog.posts.item(id))
        case .item(.comments, let id): return try .json(blog.comments.item(id))
        case .children(let kind, let parent, let id): return try children(kind, of: parent, id, in: blog, request)
        case .timeline: return try .json(Window(onto: blog.posts.filter { $0.matches(request) }, request: request))
        case .clock: return try clock()
        case .control: return try control()
        }
    }

    private func children(
        _ kind: Route.Kind, of parent: Route.Kind, _ id: Int, in blog: Blog, _ request: Request
    ) throws -> Response {
        switch (parent, kind) {
        case (.users, .posts):
            let user = try blog.users.item(id)
            return try list(blog.posts.filter { $0.userId == user.id }, request)
        case (.posts, .comments):
            let post = try blog.posts.item(id)
            return try list(blog.comments.filter { $0.postId == post.id }, request)
        default:
            throw Refusal.notFound(request.target)
        }
    }

    private func list(_ records: [some BlogRecord], _ request: Request) throws -> Response {
        let slice = Slice(of: records.filter { $0.matches(request) }, request: request)
        return try .json(slice.records, headers: slice.headers)
    }

    private func clock() throws -> Response {
        let tick = state.withLockedValue { state in
            state.tick += 1
            return state.tick
        }
        return try .json(["tick": tick])
    }

    func control() throws -> Response {
        let (latency, faults) = state.withLockedValue { ($0.latency, $0.faults) }
        return try .json(ControlSettings(latency: latency, faults: faults))
    }
}

extension BlogRecord {
    /// Whether the record has one of the values that the query gives for each of its fields; other names are no matter.
    fileprivate func matches(_ request: Request) -> Bool {
        Self.filters.allSatisfy { filter in
            let wanted = request.values(of: filter.name)
            return wanted.isEmpty || wanted.contains(filter.value(self))
        }
    }
}
