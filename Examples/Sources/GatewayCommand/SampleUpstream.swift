import DemoHTTP
import Foundation
import NIOConcurrencyHelpers
import NIOHTTP1

/// A service on loopback that counts its requests, changes its answers, and fails on demand.
final class SampleUpstream: Sendable {
    struct State {
        var requests = 0
        /// Part of each answer, so that a caller sees which answer it received.
        var version = 1
        var isDown = false
    }

    let url: URL
    private let listener: Listener<HandlerSite>
    private let state: NIOLockedValueBox<State>

    /// - Parameters:
    ///   - cacheControl: The `Cache-Control` of each answer. `nil` for none.
    ///   - body: Returns the JSON for a number and a version. `nil` if there is nothing of this number.
    static func start(
        cacheControl: String? = nil, _ body: @escaping @Sendable (_ id: Int, _ version: Int) -> String?
    ) async throws -> SampleUpstream {
        let state = NIOLockedValueBox(State())
        let site = HandlerSite { request in
            let now = state.withLockedValue { state in
                state.requests += 1
                return state
            }
            // Long enough that an answer is not there before the gateway has answered with a stale one.
            try? await Task.sleep(for: .milliseconds(100))
            guard !now.isDown else { return Response(status: .serviceUnavailable) }
            guard let text = request.path.last.flatMap(Int.init).flatMap({ body($0, now.version) }) else {
                return Response(status: .notFound)
            }
            var headers: HTTPHeaders = ["Content-Type": "application/json"]
            if let cacheControl { headers.add(name: "Cache-Control", value: cacheControl) }
            return Response(status: .ok, headers: headers, body: Data(text.utf8))
        }
        guard let listener = try await Listener.open(host: "127.0.0.1", port: 0, site: site) else {
            throw URLError(.badURL)
        }
        return SampleUpstream(listener, state)
    }

    private init(_ listener: Listener<HandlerSite>, _ state: NIOLockedValueBox<State>) {
        url = listener.url
        self.listener = listener
        self.state = state
    }

    /// Number of requests so far.
    var requests: Int { state.withLockedValue { $0.requests } }

    func setDown(_ isDown: Bool) { state.withLockedValue { $0.isDown = isDown } }

    /// Changes the answers to later requests.
    func change() { state.withLockedValue { $0.version += 1 } }

    func stop() async throws { try await listener.close() }
}

extension SampleUpstream {
    /// Has the products 1 to 9.
    static func products() async throws -> SampleUpstream {
        try await start { id, version in
            (1...9).contains(id) ? #"{"id": \#(id), "name": "Lamp, version \#(version)"}"# : nil
        }
    }

    /// Has the stock of all products, and says how long a stale number may be used.
    static func stocks() async throws -> SampleUpstream {
        try await start(cacheControl: "max-age=60, stale-while-revalidate=60, stale-if-error=600") { id, version in
            #"{"id": \#(id), "count": \#(version)}"#
        }
    }
}
