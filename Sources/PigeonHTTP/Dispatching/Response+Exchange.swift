internal import Foundation

extension Response {
    /// The answer to a request, with its body in some form.
    init<Body>(_ request: TransportRequest, _ answer: TransportResponse<Body>, data: T) {
        let status = StatusCode(rawValue: answer.status)
        self.init(
            data: data, head: .transported(request, status: answer.status, headers: answer.headers),
            statusCode: status, error: status.makeError(cause: nil))
    }
}
