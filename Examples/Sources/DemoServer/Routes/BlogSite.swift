import DemoHTTP
import NIOConcurrencyHelpers
import NIOHTTP1

/// Answers requests from the records it holds; knows nothing of connections.
final class BlogSite: Site {
    struct State {
        var blog: Blog
        var tick = 0
        var latency = Duration.zero
        var faults = Faults.none
        var log = RequestLog()
        var answers = KeyedAnswers()
        var isClosed = false
    }

    let state: NIOLockedValueBox<State>
    /// Held while a write with an `Idempotency-Key` is carried out, so that no other one with the key is.
    private let keyedWrites = NIOLock()

    init(blog: Blog) {
        state = NIOLockedValueBox(State(blog: blog))
    }

    var isOffline: Bool { state.withLockedValue { $0.faults.isOffline } }

    func close() {
        state.withLockedValue { $0.isClosed = true }
    }

    /// Counts a request and decides its latency and fault. Returns `nil` while the server is offline, and once it is closed.
    func arrive(_ request: Request) -> Visit? {
        guard !state.withLockedValue({ $0.isClosed }) else { return nil }
        // Free of latency and faults: it must stay possible to put things right.
        guard request.path != ["_control"] else {
            return Visit(request: request)
        }
        return state.withLockedValue { state in
            guard !state.faults.isOffline else { return nil }
            return Visit(
                request: request, latency: state.latency, fault: state.faults.strike(request.path),
                number: state.log.append(request.record()))
        }
    }

    /// Carries out a request once its latency has passed.
    func answer(_ visit: Visit) -> Reply {
        if !visit.isControl, isOffline { return .close }
        if visit.fault == .reset { return .reset }
        let response = response(to: visit)
        if let number = visit.number {
            state.withLockedValue { $0.log.answer(number, status: Int(response.status.code)) }
        }
        return visit.isControl && isOffline ? .lastResponse(response) : .response(response)
    }

    func abandon(_ visit: Visit) {
        guard let number = visit.number else { return }
        state.withLockedValue { $0.log.abandon(number) }
    }

    private func response(to visit: Visit) -> Response {
        do {
            if case .status(let status, let retryAfter) = visit.fault {
                throw Refusal.fault(status: status, retryAfter: retryAfter)
            }
            let response = try route(visit.request)
            if visit.fault == .lostAnswer { throw Refusal.lostAnswer }
            return response.validated(for: visit.request, about: "X-Total-Count", cacheControl: "no-cache")
        } catch let refusal as Refusal {
            return refusal.response
        } catch {
            return Refusal(status: .internalServerError, message: "the answer cannot be encoded").response
        }
    }

    private func route(_ request: Request) throws -> Response {
        guard !request.isTooLarge else { throw Refusal.tooLarge }
        let route = try Route(request.path)
        guard route.methods.contains(request.method) else {
            throw Refusal.methodNotAllowed(request.method, allowed: route.methods)
        }
        switch request.method {
        case .GET, .HEAD: return try read(route, request)
        default: return try once(request) { try write(route, request) }
        }
    }

    /// Carries out a write, or answers as before if its key says that it has been carried out. A write that was refused may
    /// be tried again with its key.
    private func once(_ request: Request, _ write: () throws -> Response) throws -> Response {
        guard let key = request.headers.first(name: "Idempotency-Key") else { return try write() }
        return try keyedWrites.withLock {
            if let known = try state.withLockedValue({ try $0.answers.answer(to: request, key) }) { return known }
            let response = try write()
            state.withLockedValue { $0.answers.keep(response, to: request, key) }
            return response
        }
    }
}

extension Visit {
    fileprivate var isControl: Bool { number == nil }
}
