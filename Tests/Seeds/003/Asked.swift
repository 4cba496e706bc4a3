import Foundation
import PigeonFutures
import SeedSupport

/// Answers every request alike, but those for a user with one that has the id asked for; keeps what it was asked.
final class Asked: Dispatcher {
    static let post = #"{"id": 7, "userId": 3}"#

    private let journal = Journal()
    private let sent = Journal()
    private let body: String
    private let status: Int
    private let gate: AsyncStream<Void>?

    /// - Parameter gate: What an answer waits for.
    init(_ body: String = post, status: Int = 200, gate: AsyncStream<Void>? = nil) {
        self.body = body
        self.status = status
        self.gate = gate
    }

    /// Method and path of each request that was sent.
    var requests: [String] { journal.lines }

    /// The bodies of those that have one.
    var bodies: [Data] { sent.lines.map { Data($0.utf8) } }

    func future(from request: any Request) -> ResponseFuture<Response<Data?>> {
        ResponseFuture { _ in
            self.journal.add("\(request.method.rawValue) \(request.path)")
            if let body = request.httpBody { self.sent.add(String(decoding: body, as: UTF8.self)) }
            if let gate = self.gate { for await _ in gate { break } }
            return request.path.hasPrefix("/users/")
                ? .made(#"{"id": \#(request.path.suffix(1))}"#, 200) : .made(self.body, self.status)
        }
    }
}

extension Response<Data?> {
    static func made(_ body: String, _ status: Int = 200) -> Response<Data?> {
        let code = StatusCode(rawValue: status)
        let request = TransportRequest(method: .get, url: URL(filePath: "/"))
        return Response(
            data: Data(body.utf8), head: .transported(request, status: status, headers: [:]), statusCode: code,
            error: code.makeError(cause: nil))
    }
}
