import DemoHTTP
import NIOConcurrencyHelpers
import NIOHTTP1

extension BlogSite {
    func write(_ route: Route, _ request: Request) throws -> Response {
        switch (route, request.method) {
        case (.list(.posts), .POST): try createPost(request)
        case (.item(.posts, let id), .DELETE): try deletePost(id, request)
        case (.item(.posts, let id), _): try .json(change(\.posts, id, request))
        case (.item(.users, let id), _): try .json(change(\.users, id, request))
        case (.control, _): try setControl(request)
        default: throw Refusal.methodNotAllowed(request.method, allowed: route.methods)
        }
    }

    private func createPost(_ request: Request) throws -> Response {
        let fields = try JSONFields(request.body)
        let post = try state.withLockedValue { state in
            let post = try fields.record(Post.self, id: state.blog.nextPostID)
            try post.validate()
            state.blog.append(post)
            return post
        }
        return try .json(post, status: .created, headers: ["Location": "/posts/\(post.id)"])
    }

    private func deletePost(_ id: Int, _ request: Request) throws -> Response {
        try state.withLockedValue { state in
            try request.requireMatch(with: state.blog.posts.item(id))
            state.blog.removePost(id)
        }
        return try .json([String: String]())
    }

    /// Replaces a record (PUT) or the fields that are given (PATCH). The path decides the identifier, not the body.
    private func change<Record: BlogRecord>(
        _ records: WritableKeyPath<Blog, [Record]>, _ id: Int, _ request: Request
    ) throws -> Record {
        try state.withLockedValue { state in
            let old = try state.blog[keyPath: records].item(id)
            try request.requireMatch(with: old)
            let given = try JSONFields(request.body)
            let fields = request.method == .PATCH ? try JSONFields(of: old).merging(given) : given
            let new = try fields.record(Record.self, id: id)
            try new.validate()
            state.blog.replace(new, in: records)
            return new
        }
    }

    private func setControl(_ request: Request) throws -> Response {
        let settings = try JSONFields(request.body).decode(ControlSettings.self)
        try settings.validate()
        state.withLockedValue { state in
            state.latency = settings.latency
            state.faults = settings.faults
        }
        return try control()
    }
}

extension Request {
    /// Refuses a change of another version than the one that `If-Match` names, if it names one (RFC 9110, 13.1.1).
    fileprivate func requireMatch(with record: some BlogRecord) throws {
        guard headers.contains(name: "If-Match") else { return }
        let tag = try EntityTag(body: Response.json(record).body)
        guard tag.isMatched(in: headers) else { throw Refusal.outdated("\(type(of: record).noun) \(record.id)") }
    }
}
