public import Foundation
internal import PigeonBase
internal import PigeonHTTP

extension RequestError: PlainlyDescribedError {
    /// What went wrong, for logs. Holds no header value, no body, no query and no credentials.
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
    /// ``userMessage``.
    public var errorDescription: String? { userMessage }
}
