import Foundation
import PigeonFutures

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// What an old app has: its models, its server, and a mock in place of the network.

struct Post: Codable, Equatable {
    var id = 1
    var userId = 7
    var title = "Lasers"
}

struct User: Codable, Equatable {
    var id = 7
    var name = "Kevin Malone"
}

struct Dated: Codable, Equatable {
    var date: Date
}

struct Trouble: Error, Equatable {
    var number = 1
}

let example = URL(string: "https://example.com")!

final class Server: ServerProvider {
    let baseURL: URL?

    init(baseURL: URL? = example) {
        self.baseURL = baseURL
    }
}

func mock(_ json: String = #"{"id":1,"userId":7,"title":"Lasers"}"#, status: StatusCode = .ok) -> MockDispatcher {
    let dispatcher = MockDispatcher(baseUrl: example, mockStatusCode: status)
    dispatcher.setMockData(jsonString: json)
    return dispatcher
}

/// An answer as Foundation has it.
func answer(_ number: Int = 200, headers: [String: String] = [:]) -> HTTPURLResponse {
    HTTPURLResponse(url: example, statusCode: number, httpVersion: nil, headerFields: headers)!
}

func reply(_ text: String?, _ number: Int = 200, headers: [String: String] = [:]) -> Response<Data?> {
    let status = StatusCode(rawValue: number)
    return Response(
        data: text.map { Data($0.utf8) }, httpResponse: answer(number, headers: headers),
        urlRequest: URLRequest(url: example), statusCode: status, error: status.makeError(cause: nil))
}

/// What a screen shows of what callbacks tell it.
// guide: mutation of a captured var in concurrently-executing code
@MainActor
final class Screen {
    var lines: [String] = []

    func show(_ line: Any) {
        lines.append("\(line)")
    }
}

extension ResponseFuture {
    /// Sends, and returns after the last callback.
    func finish() async {
        await withCheckedContinuation { done in
            completion { done.resume() }.send()
        }
    }
}

extension Promise {
    /// Sends, and returns after the last callback.
    func finish() async {
        await withCheckedContinuation { done in
            completion { done.resume() }.send()
        }
    }
}
