internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression
internal import PigeonFutures

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// W9: requests over HTTP, beside the bare clients. The server is another process.
func measureHTTP(_ recorder: Recorder) async throws {
    let server = try await Loopback.start()
    try await measureURLSession(recorder, server.url)
    try await measureAsyncHTTPClient(recorder, server.url)
    try await server.stop()
    try await measureLibraryAlone(recorder)
    try await measureFutures(recorder)
}

private let request = BasicRequest(method: .get, path: "/articles/1", headers: ["Accept": "application/json"])

private func measureURLSession(_ recorder: Recorder, _ root: URL) async throws {
    let session = URLSession(configuration: .ephemeral)
    let dispatcher = NetworkDispatcher(baseURL: root, configuration: .ephemeral)
    let address = root.appendingPathComponent("articles/1")
    for (inFlight, count) in [(1, 400), (64, 1920)] {
        let pair = Pair(inFlight: inFlight, count: count) {
            var request = URLRequest(url: address)
            request.setValue("application/json", forHTTPHeaderField: "Accept")
            use(try await session.data(for: request))
        } library: {
            use(try await dispatcher.response(from: request))
        }
        try await pair.measure(recorder, "W9.session\(inFlight)", "URLSession", limit: 1.1)
    }
    session.invalidateAndCancel()
}

private func measureAsyncHTTPClient(_ recorder: Recorder, _ root: URL) async throws {
    // Decompressing, as the library's client does and `URLSession` always.
    let client = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: .init(decompression: .enabled(limit: .none)))
    let dispatcher = NetworkDispatcher(baseURL: root, transport: AsyncHTTPClientTransport())
    let address = root.absoluteString + "/articles/1"
    for (inFlight, count) in [(1, 3000), (64, 12800)] {
        let pair = Pair(inFlight: inFlight, count: count) {
            var request = HTTPClientRequest(url: address)
            request.headers.add(name: "Accept", value: "application/json")
            let response = try await client.execute(request, timeout: .seconds(60))
            use(try await response.body.collect(upTo: 1 << 20))
        } library: {
            use(try await dispatcher.response(from: request))
        }
        try await pair.measure(recorder, "W9.ahc\(inFlight)", "AsyncHTTPClient", limit: 1.15)
    }
    try await client.shutdown()
}

/// The same requests by a bare client and by the library, in turn, so that what else the machine does meets both.
private struct Pair: Sendable {
    let inFlight: Int
    let count: Int
    let bare: @Sendable () async throws -> Void
    let library: @Sendable () async throws -> Void

    func measure(_ recorder: Recorder, _ name: String, _ client: String, limit: Double) async throws {
        var bareTimes: [Double] = []
        var libraryTimes: [Double] = []
        for round in 0...recorder.repetitions * 2 {
            let isBareFirst = round.isMultiple(of: 2)
            let first = try await time(isBareFirst ? bare : library)
            let second = try await time(isBareFirst ? library : bare)
            guard round > 0 else { continue }
            bareTimes.append(isBareFirst ? first : second)
            libraryTimes.append(isBareFirst ? second : first)
        }
        let how = inFlight == 1 ? "one after the other" : "\(inFlight) in flight"
        recorder.record(
            name, "requests of 1 KB JSON over \(client), \(how)", .perSecond, 1e9 / libraryTimes.middle,
            floor: 1e9 / bareTimes.middle)
        recorder.record(
            "\(name).cost", "the same, time beside \(client) alone", .times,
            zip(libraryTimes, bareTimes).map { $0 / $1 }.middle, floor: 1, target: limit)
    }

    private func time(_ work: @escaping @Sendable () async throws -> Void) async throws -> Double {
        let each = count / inFlight
        return try await nanoseconds {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<inFlight { group.addTask { for _ in 0..<each { try await work() } } }
                try await group.waitForAll()
            }
        } / Double(each * inFlight)
    }
}

private func measureLibraryAlone(_ recorder: Recorder) async throws {
    let rounds = 10_000
    let root = URL(string: "https://api.example.com/v1") ?? URL(fileURLWithPath: "/")
    let instant = try InstantTransport()
    let dispatcher = NetworkDispatcher(baseURL: root, transport: instant)
    let server = FixedServer(root)
    let build = try recorder.median {
        try nanoseconds { for _ in 0..<rounds { use(try server.url(from: request)) } } / Double(rounds)
    }
    let parse = recorder.median {
        nanoseconds { for _ in 0..<rounds { use(URL(string: "https://api.example.com/v1/articles/1")) } }
            / Double(rounds)
    }
    recorder.record("W9.build", "the address of a request, checked", .nanoseconds, build, floor: parse)
    let all = try await recorder.median {
        try await nanoseconds { for _ in 0..<rounds { use(try await dispatcher.response(from: request)) } }
            / Double(rounds)
    }
    recorder.record("W9.library", "a request and its answer, over a transport that answers at once", .nanoseconds, all)
    let response = try await dispatcher.response(from: request)
    let body = instant.answer.body
    let decoder = JSONDecoder()
    let decode = try recorder.median {
        try nanoseconds { for _ in 0..<rounds { use(try response.decode(Article.self)) } } / Double(rounds)
    }
    let floor = try recorder.median {
        try nanoseconds { for _ in 0..<rounds { use(try decoder.decode(Article.self, from: body)) } } / Double(rounds)
    }
    recorder.record("W9.decode", "1 KB of JSON decoded from an answer", .nanoseconds, decode, floor: floor)
}

/// The floor is the same requests awaited without futures.
private func measureFutures(_ recorder: Recorder) async throws {
    let dispatcher = NetworkDispatcher(
        baseURL: URL(string: "https://example.com") ?? URL(fileURLWithPath: "/"), transport: try InstantTransport())
    let rounds = 100
    let floor = try await recorder.median {
        try await nanoseconds { for _ in 0..<rounds * 10 { use(try await dispatcher.response(from: request)) } }
            / 10_000
    }
    let series = try await recorder.median {
        try await nanoseconds {
            for _ in 0..<10 {
                var chain = dispatcher.future(from: request)
                for _ in 1..<rounds { chain = chain.replace { _ in dispatcher.future(from: request) } }
                use(try await chain.value)
            }
        } / 10_000
    }
    recorder.record("W9.series", "100 futures in series", .microseconds, series, floor: floor)
    let parallel = try await recorder.median {
        try await nanoseconds {
            for _ in 0..<10 {
                let all = ResponseFuture(childFutures: (0..<rounds).map { _ in dispatcher.future(from: request) })
                use(try await all.value)
            }
        } / 10_000
    }
    recorder.record("W9.parallel", "100 futures at once", .microseconds, parallel, floor: floor)
}
