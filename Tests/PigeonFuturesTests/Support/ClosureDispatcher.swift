import Foundation
import PigeonFutures
import TestServer
import TestSupport

/// A dispatcher that answers requests with a closure, implements only ``future(from:)``, and records its requests.
final class ClosureDispatcher: Dispatcher {
    let asked = Recorder<String>()
    private let answer: @Sendable (any Request) async throws -> Response<Data?>

    init(_ answer: @escaping @Sendable (any Request) async throws -> Response<Data?>) {
        self.answer = answer
    }

    /// Creates a dispatcher that always gives the same answer.
    convenience init(_ text: String, status: Int = 200) {
        self.init { _ in .text(text, status: status) }
    }

    /// Creates a dispatcher whose requests end only when they are cancelled.
    convenience init(started: Gate, stopped: Gate) {
        self.init { _ in
            started.open()
            await Gate().wait()
            stopped.open()
            throw CancellationError()
        }
    }

    func future(from request: any Request) -> ResponseFuture<Response<Data?>> {
        ResponseFuture { _ in
            self.asked.append("\(request.method.rawValue) \(request.path)")
            return try await self.answer(request)
        }
    }
}

extension Response<Data?> {
    static func text(_ text: String, status: Int = 200) -> Response<Data?> {
        Answer(StatusCode(rawValue: status), body: text)
    }
}

extension ResponseFuture {
    /// Starts the future, and returns when it has ended and its handlers have been called.
    func finished() async {
        _ = try? await value
    }
}

/// The error of a test.
struct Failure: Error, Equatable {
    var name = "failure"
}
