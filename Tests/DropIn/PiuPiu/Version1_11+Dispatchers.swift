import Foundation
import PigeonFutures
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Dispatchers of one's own, by the requirements alone.
// guide: a dispatcher of your own that is a `DataDispatcher`
private final class OwnDispatcher: DataDispatcher, UploadDispatcher, DownloadDispatcher {
    func dataFuture(from urlRequest: URLRequest) -> ResponseFuture<Response<Data?>> {
        return ResponseFuture<Response<Data?>> { future in
            future.succeed(with: reply(urlRequest.httpMethod))
        }
    }

    func uploadFuture(from urlRequest: URLRequest, with data: Data) -> ResponseFuture<Response<Data?>> {
        return ResponseFuture(result: reply("\(data.count)"))
    }

    func downloadFuture(from urlRequest: URLRequest, to destination: URL) -> ResponseFuture<Response<URL>> {
        return ResponseFuture(result: Response(response: reply(nil), data: destination))
    }
}

/// A dispatcher that overrides what is open in 1.11, and never reaches a network.
// guide: a class cannot conform to `Sendable`, or must restate `@unchecked Sendable`
private final class HeldDispatcher: URLRequestDispatcher, @unchecked Sendable {
    override func dataFuture(from urlRequest: URLRequest) -> ResponseFuture<Response<Data?>> {
        guard urlRequest.url?.path != "/super" else { return super.dataFuture(from: urlRequest) }
        return ResponseFuture(result: reply("data"))
    }

    override func uploadFuture(from urlRequest: URLRequest, with data: Data) -> ResponseFuture<Response<Data?>> {
        return ResponseFuture(result: reply("upload \(data.count)"))
    }

    override func downloadFuture(from urlRequest: URLRequest, to destination: URL) -> ResponseFuture<Response<URL>> {
        return ResponseFuture(result: Response(response: reply(nil), data: destination))
    }

    override func finishTasksAndInvalidate() {
        super.finishTasksAndInvalidate()
    }

    override func invalidateAndCancel() {
        super.invalidateAndCancel()
    }
}

// guide: `URLRequestAdapter`, `URLResponseAdapter` with a callback
private final class Signing: URLRequestAdapter {
    func adapt(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        request.setValue("signed", forHTTPHeaderField: "X-Signature")
        return request
    }
}

private final class Renaming: URLResponseAdapter {
    func adapt(_ response: Response<Data?>) async throws -> Response<Data?> {
        return Response(response: response, data: Data("renamed".utf8))
    }
}

@MainActor
@Suite("PiuPiu 1.11: dispatchers")
struct Version1_11DispatchersTests {
    let screen = Screen()
    let request = URLRequest(url: URL(string: "https://example.com/posts/1")!, method: .get)
    let file = URL.temporaryDirectory.appendingPathComponent("piupiu-\(UUID().uuidString)")

    @Test("DataDispatcher, UploadDispatcher, DownloadDispatcher: requirements, and closures that make requests")
    func own() async throws {
        let dispatcher = OwnDispatcher()
        let request = self.request
        #expect(try await dispatcher.dataFuture(from: request).fetchResult().decodeString() == "GET")
        #expect(try await dispatcher.dataFuture(from: { return request }).fetchResult().decodeString() == "GET")
        #expect(try await dispatcher.dataFuture { request }.fetchResult().decodeString() == "GET")
        let data = Data("piu".utf8)
        #expect(try await dispatcher.uploadFuture(from: request, with: data).fetchResult().decodeString() == "3")
        #expect(try await dispatcher.uploadFuture(with: data) { request }.fetchResult().decodeString() == "3")
        #expect(try await dispatcher.downloadFuture(from: request, to: file).fetchResult().data == file)
        #expect(try await dispatcher.downloadFuture(destination: file) { request }.fetchResult().data == file)
    }

    @Test("DataDispatcher: a closure that throws, and one that returns nil and cancels")
    func noRequest() async {
        let screen = self.screen
        let dispatcher: DataDispatcher = OwnDispatcher()
        await dispatcher.dataFuture { throw Trouble() }.error { screen.show($0 is Trouble) }.finish()
        await dispatcher.dataFuture { return nil }.cancellation { screen.show("cancelled") }.completion {
            screen.show("done")
        }.finish()
        await (dispatcher as! OwnDispatcher).uploadFuture(with: Data()) { nil }
            .cancellation { screen.show("upload cancelled") }.finish()
        await (dispatcher as! OwnDispatcher).downloadFuture(destination: file) { nil }
            .cancellation { screen.show("download cancelled") }.finish()
        #expect(screen.lines == ["true", "cancelled", "done", "upload cancelled", "download cancelled"])
    }

    @Test("URLRequestDispatcher: initialisers with each default left out and given")
    func creating() {
        // guide: `ResponseFutureSession`, and futures of a `URLSessionTask`
        let signing = Signing()
        let renaming = Renaming()
        let dispatchers = [
            URLRequestDispatcher(),
            URLRequestDispatcher(configuration: .ephemeral),
            URLRequestDispatcher(requestAdapter: signing),
            URLRequestDispatcher(responseAdapter: renaming),
            URLRequestDispatcher(configuration: .ephemeral, requestAdapter: signing, responseAdapter: renaming),
        ]
        #expect(dispatchers.map(\.policy.requestAdapters.count) == [0, 0, 1, 0, 1])
        #expect(dispatchers.map(\.policy.responseAdapters.count) == [0, 0, 0, 1, 1])
    }

    @Test("URLRequestDispatcher: what is open can be overridden, and is called through each protocol")
    func overriding() async throws {
        let dispatcher = HeldDispatcher()
        let data: DataDispatcher = dispatcher
        let upload: UploadDispatcher = dispatcher
        let download: DownloadDispatcher = dispatcher
        let request = self.request
        #expect(try await data.dataFuture(from: request).fetchResult().decodeString() == "data")
        #expect(try await data.dataFuture { request }.fetchResult().decodeString() == "data")
        #expect(try await upload.uploadFuture(from: request, with: Data()).fetchResult().decodeString() == "upload 0")
        #expect(try await download.downloadFuture(from: request, to: file).fetchResult().data == file)
    }

    @Test("URLRequestDispatcher: finishTasksAndInvalidate and invalidateAndCancel end it")
    func ending() async {
        let screen = self.screen
        let request = URLRequest(url: URL(string: "https://example.com/super")!, method: .get)
        let finished = HeldDispatcher()
        finished.finishTasksAndInvalidate()
        let cancelled = HeldDispatcher()
        cancelled.invalidateAndCancel()
        for dispatcher in [finished, cancelled] {
            await dispatcher.dataFuture(from: request).cancellation { screen.show("cancelled") }.finish()
        }
        #expect(screen.lines == ["cancelled", "cancelled"])
    }

    @Test("guide: adapters have an effect, and are kept (N1, N2)")
    func adapters() async throws {
        let mock = MockTransport()
        mock.answer(.get, "/posts/1") { request, _ in .text(request.headers["X-Signature"] ?? "none") }
        var policy = HTTPPolicy()
        // guide: N1
        policy.requestAdapters = [Signing()]
        let signed = NetworkDispatcher(baseURL: example, transport: mock, policy: policy)
        #expect(try await signed.dataFuture(from: request).fetchResult().decodeString() == "signed")
        policy.responseAdapters = [Renaming()]
        let renamed = NetworkDispatcher(baseURL: example, transport: mock, policy: policy)
        #expect(try await renamed.dataFuture(from: request).fetchResult().decodeString() == "renamed")
    }

    @Test("RequestSerializer: initialiser, properties, a request, and closures that make one")
    func serializer() async throws {
        let server = Server()
        let serializer = RequestSerializer(dispatcher: OwnDispatcher(), serverProvider: server)
        let request = BasicRequest(method: .put, path: "/posts/1")
        #expect(try await serializer.dataFuture(from: request).fetchResult().decodeString() == "PUT")
        #expect(try await serializer.dataFuture { return request }.fetchResult().decodeString() == "PUT")
        let screen = self.screen
        await serializer.dataFuture { return nil }.cancellation { screen.show("cancelled") }.finish()
        await serializer.dataFuture { throw Trouble() }.error { screen.show($0 is Trouble) }.finish()
        serializer.dispatcher = OwnDispatcher()
        #expect(serializer.dispatcher is OwnDispatcher && serializer.serverProvider === server)
        serializer.serverProvider = nil
        await serializer.dataFuture(from: request).error { error in
            if case RequestError.missingServerProvider = error { screen.show("no server") }
        }.finish()
        let nowhere = Server(baseURL: nil)
        serializer.serverProvider = nowhere
        await serializer.dataFuture(from: request).error { error in
            if case RequestError.missingURL = error { screen.show("no URL") }
        }.finish()
        #expect(screen.lines == ["cancelled", "true", "no server", "no URL"] && serializer.serverProvider === nowhere)
    }

    @Test("guide: NetworkDispatcher and MockDispatcher send plain requests too")
    func others() async throws {
        let server = Server()
        let network: DataDispatcher & UploadDispatcher & DownloadDispatcher = NetworkDispatcher(serverProvider: server)
        let mocked: DataDispatcher & UploadDispatcher & DownloadDispatcher = mock("piu")
        #expect(network is URLRequestDispatcher == false)
        #expect(try await mocked.dataFuture(from: request).fetchResult().decodeString() == "piu")
        #expect(try await mocked.uploadFuture(from: request, with: Data()).fetchResult().decodeString() == "piu")
        let downloaded = try await mocked.downloadFuture(from: request, to: file).fetchResult()
        #expect(try Data(contentsOf: downloaded.data) == Data("piu".utf8))
        try FileManager.default.removeItem(at: downloaded.data)
    }
}
