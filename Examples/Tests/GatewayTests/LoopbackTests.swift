import Foundation
import Hummingbird
import NIOCore
import PigeonHTTP
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import Gateway

@Suite("The gateway over real HTTP", .serialized, .timeLimit(.minutes(2)))
struct LoopbackTests {
    @Test func `two hundred requests at once cause one request to each upstream`() async throws {
        let upstream = MockTransport()
        for (path, text) in [("products", #"{"id": 7, "name": "Lamp"}"#), ("stock", #"{"id": 7, "count": 3}"#)] {
            upstream.answer(.get, PathPattern("/\(path)/7"), with: .text(text).after(.milliseconds(100)))
        }
        let http = NetworkDispatcher(baseURL: try #require(URL(string: "https://shop.example")), transport: upstream)
        let gateway = ShopGateway(Upstreams(products: http, stocks: http))

        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = Application(
            router: Routes(gateway, metrics: MetricsPage()).router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) })
        try await withThrowingTaskGroup(of: Offer?.self) { group in
            group.addTask {
                try await server.run()
                return nil
            }
            let address = try #require(URL(string: "http://127.0.0.1:\(await ports.first { _ in true } ?? 0)"))
            let configuration = URLSessionTransport.defaultConfiguration
            configuration.httpMaximumConnectionsPerHost = 100
            let shopper = NetworkDispatcher(baseURL: address, configuration: configuration)
            for _ in 0..<200 {
                group.addTask {
                    let response = try await shopper.response(from: BasicRequest.get("/products/7"))
                    return try response.data.map { try JSONDecoder().decode(Offer.self, from: $0) }
                }
            }
            let offer = Offer(product: Product(id: 7, name: "Lamp"), stock: Stock(id: 7, count: 3))
            for _ in 0..<200 {
                let answer = try await group.next()
                #expect(answer == offer)
            }
            group.cancelAll()
        }
        #expect(upstream.requests.count == 2)
    }

    /// The program of the gateway, which lies where the tests do.
    private static let program: URL? = {
        let candidates =
            Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
            + [Bundle.main.executableURL?.deletingLastPathComponent()].compactMap { $0 }
            + [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
        return candidates.map { $0.appendingPathComponent("gateway") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    /// `make gateway`, for a shorter time and with fewer requests.
    @Test func `three processes keep answering while an upstream, Redis and one of them are killed`() async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../scripts/gateway").standardized
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let program = try #require(Self.program, "there is no gateway beside the tests")
        process.arguments = ["python3", script.path, program.path, "--seconds", "12", "--rate", "200"]
        process.standardOutput = output
        process.standardError = output
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        // What it says fits into a pipe, so nothing need read along.
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(status == 0, "\(text)")
        #expect(text.split(separator: "\n").count { $0.hasPrefix("yes  ") } == 6, "\(text)")
    }
}
