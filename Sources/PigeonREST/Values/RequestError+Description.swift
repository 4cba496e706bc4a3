public import Foundation
internal import PigeonBase
internal import PigeonHTTP

extension RequestError: PlainlyDescribedError {
    /// Describes the error for logs. Contains no header value, body, query or credentials.
    public var description: String {
        var parts: [String] = []
        if let httpStatusCode { parts.append("status \(httpStatusCode)") }
        if let cause { parts.append(TransientError.label(cause)) }
        if parts.isEmpty { parts.append("failed") }
        let place = url.map { " (\($0.plainDescription))" } ?? ""
        return "the request failed: \(parts.joined(separator: ", "))\(place)"
    }
}

extension RequestError: LocalizedError {
    /// The same as ``userMessage``.
    public var errorDescription: String? { userMessage }
}
