import Foundation
import PigeonREST
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An answer of the stubbed network.
struct Answer: Sendable {
    var status = 200
    var headers: [String: String] = ["Content-Type": "application/json"]
    var body = "{}"
    var error: URLError?

    static func json(_ body: String, status: Int = 200, headers: [String: String] = [:]) -> Answer {
        Answer(status: status, headers: ["Content-Type": "application/json"].merging(headers) { $1 }, body: body)
    }

    static func text(_ body: String, status: Int = 200, headers: [String: String] = [:]) -> Answer {
        Answer(status: status, headers: ["Content-Type": "text/plain"].merging(headers) { $1 }, body: body)
    }
}

/// A network as test code for Siesta has one: it answers each request from a table of paths, within the call that starts it,
/// or once it is told to go on.
final class StubNetwork: NetworkingProvider, @unchecked Sendable {  // `lock` guards all variables
    private let lock = NSLock()
    private var answers: [String: Answer] = [:]
    private var sent: [URLRequest] = []
    private var held: [() -> Void] = []
    private var holds = false

    /// The answers by method and path: `"GET /users/ann"`.
    init(_ answers: [String: Answer] = [:]) {
        self.answers = answers
    }

    subscript(request: String) -> Answer? {
        get { lock.withLock { answers[request] } }
        set { lock.withLock { answers[request] = newValue } }
    }

    var requests: [URLRequest] { lock.withLock { sent } }

    /// From here on requests wait for ``answerAll()``.
    func hold() {
        lock.withLock { holds = true }
    }

    func answerAll() {
        let answering = lock.withLock { () -> [() -> Void] in
            holds = false
            defer { held = [] }
            return held
        }
        for answer in answering { answer() }
    }

    func startRequest(
        _ request: URLRequest, completion: @escaping RequestNetworkingCompletionCallback
    ) -> RequestNetworking {
        guard let url = request.url else { return StubTask() }
        let answer = self["\(request.httpMethod ?? "GET") \(url.path)"] ?? .json("{}", status: 404)
        let head = HTTPURLResponse(
            url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.headers)
        let complete = {
            if let error = answer.error {
                completion(nil, nil, error)
            } else {
                completion(head, Data(answer.body.utf8), nil)
            }
        }
        let isHeld = lock.withLock { () -> Bool in
            sent.append(request)
            if holds { held.append(complete) }
            return holds
        }
        if !isHeld { complete() }
        return StubTask()
    }
}

/// A request of the stubbed network, with the metrics of one that is half done.
struct StubTask: RequestNetworking {
    func cancel() {}

    var transferMetrics: RequestTransferMetrics {
        var metrics = RequestTransferMetrics()
        metrics.requestBytesSent = 10
        metrics.requestBytesTotal = 10
        metrics.responseBytesReceived = 50
        metrics.responseBytesTotal = 100
        return metrics
    }
}

/// The model of the tests.
struct User: Codable, Equatable, Sendable {
    var name: String
}

struct Refusal: Error {}

/// Returns once the request is over and its earlier hooks have been called.
@MainActor
@discardableResult
func end(of request: Request?) async -> ResponseInfo {
    guard let request = request else {
        return ResponseInfo(response: .failure(RequestError(userMessage: "", cause: Refusal())))
    }
    return await withCheckedContinuation { continuation in
        request.onCompletion { continuation.resume(returning: $0) }
    }
}

/// An observer as old programs have them: a class without a word about actors.
final class Recorder: ResourceObserver {
    var events: [ResourceEvent] = []
    var progress: [Double] = []
    var stopped = 0
    private var expected: (ResourceEvent, CheckedContinuation<Void, Never>)?

    func resourceChanged(_ resource: Resource, event: ResourceEvent) {
        events.append(event)
        if let (next, continuation) = expected, next == event {
            expected = nil
            continuation.resume()
        }
    }

    func resourceRequestProgress(for resource: Resource, progress: Double) {
        self.progress.append(progress)
    }

    func stoppedObserving(resource: Resource) {
        stopped += 1
    }

    /// Returns once an event has been seen.
    func saw(_ event: ResourceEvent) async {
        if events.contains(event) { return }
        await withCheckedContinuation { expected = (event, $0) }
    }
}
