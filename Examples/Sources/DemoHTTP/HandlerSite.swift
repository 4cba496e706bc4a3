import NIOConcurrencyHelpers

/// Answers each request with an asynchronous function. If a client closes its connection, its call is cancelled.
///
/// ```swift
/// let site = HandlerSite { request in await routes.respond(to: request) }
/// let listener = try await Listener.open(host: "127.0.0.1", port: 0, site: site)
/// ```
package final class HandlerSite: Site {
    private struct Call {
        let task: Task<Void, Never>
        var response: Response?
    }

    private struct State {
        var calls: [Int: Call] = [:]
        var count = 0
        var isClosed = false

        /// Does nothing if the client has gone.
        mutating func end(_ number: Int, with response: Response) { calls[number]?.response = response }
    }

    private let state = NIOLockedValueBox(State())
    private let handler: @Sendable (Request) async -> Response

    package init(_ handler: @escaping @Sendable (Request) async -> Response) {
        self.handler = handler
    }

    /// Starts the call. Its answer waits at a gate, which opens when the call has returned.
    package func arrive(_ request: Request) -> Visit? {
        let gate = Gate()
        return state.withLockedValue { state in
            guard !state.isClosed else { return nil }
            state.count += 1
            let number = state.count
            let task = Task { [self] in
                let response = await handler(request)
                self.state.withLockedValue { $0.end(number, with: response) }
                gate.open()
            }
            state.calls[number] = Call(task: task)
            return Visit(request: request, gate: gate, number: number)
        }
    }

    package func answer(_ visit: Visit) -> Reply {
        guard let response = remove(visit)?.response else { return .close }
        return .response(response)
    }

    package func abandon(_ visit: Visit) {
        remove(visit)?.task.cancel()
    }

    package func close() {
        let calls = state.withLockedValue { state in
            state.isClosed = true
            return Array(state.calls.values)
        }
        for call in calls { call.task.cancel() }
    }

    private func remove(_ visit: Visit) -> Call? {
        guard let number = visit.number else { return nil }
        return state.withLockedValue { $0.calls.removeValue(forKey: number) }
    }
}
