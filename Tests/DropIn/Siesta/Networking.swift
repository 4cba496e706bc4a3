import Foundation
import PigeonREST
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A provider that writes its completion as Siesta's documentation does.
private struct Spelled: NetworkingProvider {
    // guide: extra argument in a `NetworkingProvider`'s completion
    func startRequest(
        _ request: URLRequest, completion: @escaping @Sendable (HTTPURLResponse?, Data?, Error?) -> Void
    ) -> RequestNetworking {
        completion(nil, nil, URLError(.notConnectedToInternet))
        return StubTask()
    }
}

// guide: `SessionTaskContainer`
/// A request of a session, as providers for other libraries have it.
private struct SessionRequest: RequestNetworking, SessionTaskContainer {
    let task: URLSessionTask

    func cancel() {
        task.cancel()
    }
}

// guide: `AlamofireProvider`
/// A manager of another library, as the extension for Alamofire makes one fit.
private struct Manager: NetworkingProviderConvertible {
    let network: StubNetwork

    var siestaNetworkingProvider: NetworkingProvider { network }
}

@MainActor
@Suite("Siesta: networking")
struct NetworkingTests {
    let network = StubNetwork(["GET /a": .text("a")])

    @Test("providers, and what can be made into one")
    func providers() async {
        let convertibles: [NetworkingProviderConvertible] = [
            network, Manager(network: network), URLSession(configuration: .ephemeral), URLSessionConfiguration.default,
            URLSessionProvider(session: URLSession(configuration: .ephemeral)),
        ]
        #expect(convertibles[0].siestaNetworkingProvider as? StubNetwork === network)
        #expect(convertibles[1].siestaNetworkingProvider as? StubNetwork === network)
        #expect(convertibles[2].siestaNetworkingProvider is URLSessionProvider)
        for convertible in convertibles { _ = convertible.siestaNetworkingProvider }
        let service = Service(baseURL: "https://example.com", networking: Manager(network: network))
        await end(of: service.resource("/a").load())
        #expect(service.resource("/a").text == "a")
    }

    @Test("a provider that answers with an error")
    func failing() async {
        let service = Service(baseURL: "https://example.com", networking: Spelled())
        let info = await end(of: service.resource("/a").load())
        #expect(info.error?.cause is URLError)
    }

    @Test("URLSessionProvider: its session, and a request of it")
    func session() async throws {
        let provider = URLSessionProvider(session: URLSession(configuration: .ephemeral))
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let error = await withCheckedContinuation { (continuation: CheckedContinuation<Error?, Never>) in
            let completion: RequestNetworkingCompletionCallback = { _, _, error in continuation.resume(returning: error)
            }
            let task = provider.startRequest(URLRequest(url: url), completion: completion)
            #expect(task.transferMetrics.requestBytesSent == 0)
        }
        #expect(error is URLError)
        // Not cancelled: Foundation on Linux stops the process when a task that has not begun is.
        let own = SessionRequest(task: provider.session.dataTask(with: url))
        #expect(own.transferMetrics.responseBytesReceived == 0)
    }

    @Test("RequestTransferMetrics, which a task of one's own reports")
    func metrics() {
        let metrics = StubTask().transferMetrics
        #expect(metrics.requestBytesSent == 10)
        #expect(metrics.requestBytesTotal == 10)
        #expect(metrics.responseBytesReceived == 50)
        #expect(metrics.responseBytesTotal == 100)
    }
}
