import Foundation
import PigeonBase
import PigeonREST
import TestSupport
import Testing

import class PigeonHTTP.MockTransport
import struct PigeonHTTP.TransferProgress
import struct PigeonHTTP.TransportRequest
import struct PigeonHTTP.TransportResponse
import class PigeonHTTP.TransferGauge
import enum PigeonHTTP.HTTPError
import protocol PigeonHTTP.HTTPTransport
import typealias PigeonHTTP.HTTPChunks
import typealias PigeonHTTP.TransferReport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The cost of a load")
struct LockCountTests {
    /// 21 of these locks belong to the lab, its clock, its events, and the observer's own reads.
    @Test("A load and its answer, told to one observer, take at most 45 locks")
    func locks() {
        let bench = RESTBench()
        let resource = bench.loaded("/users/1", "Ann")
        let heard = bench.record(resource)
        let count = countLocks {
            resource.load()
            bench.answer("Bea")
        }
        #expect(heard.all == ["observerAdded idle Ann", "requested loading Ann", "newData(network) idle Bea"])
        #expect(count > 0 && count <= 45, "\(count)")
    }

    @Test("A load whose answer arrives at once does not leave the caller's thread")
    func answeredAtOnce() async {
        let service = Service(
            baseURL: "https://api.test", standardTransformers: [.text], networking: Immediate(), client: QueryClient(),
            callbacks: .immediate)
        let resource = service.resource("/users/1")
        let heard = Recorder<String>()
        let owner = Owner()
        resource.addObserver(owner: owner) { resource, event in
            heard.append("\(event) \(resource.isLoading ? "loading" : "idle") \(resource.text)")
        }
        // No function in this one suspends, so all effects have happened when it returns.
        func loadTwice() -> [String] {
            let first = resource.load()
            let states = ["\(first.state)", resource.text]
            return states + ["\(resource.load().state)", "\(resource.isLoading)"]
        }
        #expect(loadTwice() == ["completed", "1", "completed", "false"])
        #expect(
            heard.all == [
                "observerAdded idle ", "requested loading ", "newData(network) idle 1", "requested loading 1",
                "newData(network) idle 2",
            ])
        withExtendedLifetime(owner) {}
    }

    @Test("one task sends the request of a load, receives the response and transforms it", .rule("F17"))
    func oneTask() async throws {
        let tasks = Recorder<Int?>()
        @Sendable func note() { withUnsafeCurrentTask { task in tasks.append(task?.hashValue) } }
        let transport = MockTransport()
        transport.answer(.get, "/users/1") { _, _ in
            note()
            return .text("Ann")
        }
        let service = Service(baseURL: "https://api.test", networking: transport, client: QueryClient())
        service.configureTransformer("/users/1") { (entity: Entity<String>) in
            note()
            return entity.content.count
        }
        let content: Int = try await service.resource("/users/1").load().content()
        #expect(content == 3)
        #expect(tasks.all.count == 2 && tasks.all[0] != nil)
        #expect(Set(tasks.all).count == 1)
    }

    @Test(
        "a load reads the progress of its transfer from a gauge, which also takes the reports of a transport",
        .rule("F17"))
    func gauge() async throws {
        let transport = Reporting()
        let service = Service(
            baseURL: "https://api.test", standardTransformers: [], networking: HTTPTransportProvider(transport),
            client: QueryClient())
        _ = try await service.resource("/users/1").loaded()
        let gauges = transport.gauges.all
        #expect(gauges.count == 1)
        #expect(gauges.first??.progress == TransferProgress(received: 3, expectedToReceive: 3))
    }

    /// Records the gauge of each request, and reports the progress of its own response.
    private struct Reporting: HTTPTransport {
        let gauges = Recorder<TransferGauge?>()

        func stream(
            _ request: TransportRequest, report: TransferReport?
        ) async throws(HTTPError) -> TransportResponse<HTTPChunks> {
            gauges.append(request.gauge)
            report?(TransferProgress(received: 3, expectedToReceive: 3))
            return TransportResponse(status: 200, headers: [:], body: HTTPChunks(piece: Data("Ann".utf8)))
        }
    }

    /// Answers each request within the call that starts it, with the number of the request.
    private final class Immediate: NetworkingProvider {
        private let count = Locked(0)

        func startRequest(
            _ request: URLRequest, completion: @escaping RequestNetworkingCompletionCallback
        ) -> any RequestNetworking {
            let number = count.withLock { count in
                count += 1
                return count
            }
            let head = request.url.flatMap {
                HTTPURLResponse(
                    url: $0, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Content-Type": "text/plain"])
            }
            completion(head, Data("\(number)".utf8), nil)
            return Answered()
        }

        private struct Answered: RequestNetworking {
            let transferMetrics = RequestTransferMetrics()
            func cancel() {}
        }
    }
}
