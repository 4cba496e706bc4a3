import DemoHTTP
import Foundation
import NIOHTTP1

/// The answers to requests with an `Idempotency-Key`, by which repeated requests are recognized. Keeps the newest 10,000.
struct KeyedAnswers {
    private struct Answer {
        let request: [Data]
        let response: Response
    }

    private var answers: [String: Answer] = [:]
    private var keys: [String] = []

    /// Returns the answer that a request got before, marked as repeated.
    func answer(to request: Request, _ key: String) throws(Refusal) -> Response? {
        guard let known = answers[key] else { return nil }
        guard known.request == request.identity else {
            throw .unprocessable("this Idempotency-Key is of another request")
        }
        var response = known.response
        response.headers.add(name: "Idempotency-Replayed", value: "true")
        return response
    }

    mutating func keep(_ response: Response, to request: Request, _ key: String) {
        answers[key] = Answer(request: request.identity, response: response)
        keys.append(key)
        // Twice the limit, so that dropping the oldest costs a constant time per request.
        guard keys.count >= 2 * Limits.keptRecords else { return }
        for old in keys.prefix(Limits.keptRecords) { answers[old] = nil }
        keys.removeFirst(Limits.keptRecords)
    }
}

extension Request {
    /// The parts of a request that are the same when it is repeated. The fields of a JSON body may come in another order.
    fileprivate var identity: [Data] {
        let fields = try? JSONSerialization.jsonObject(with: body)
        let sorted = fields.flatMap { try? JSONSerialization.data(withJSONObject: $0, options: .sortedKeys) }
        return [Data(method.rawValue.utf8), Data(target.utf8), sorted ?? body]
    }
}
