internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension HTTPError: PlainlyDescribedError {
    /// What went wrong, for logs. Holds no header, no body, no query and no credentials.
    public var description: String {
        switch self {
        case .request(let error): error.description
        case .defect(let error): error.description
        case .transport(let error): "no whole answer came: \(TransientError.label(error))"
        case .status(let answer): answer.description
        case .decoding(let error, let answer): "\(error.description) (\(answer.head.summary))"
        case .bodyTooLarge(let limit): "the answer is longer than the limit of \(limit) bytes; the rest was not read"
        case .redirection(let reason): reason.printable
        case .other(let error): "something that takes part in requests failed: \(TransientError.label(error))"
        case .cancelled: "the request was cancelled"
        }
    }

    package var label: String {
        guard case .transport(let error) = self else { return description }
        return TransientError.label(error)
    }
}

extension ErrorResponse: PlainlyDescribedError {
    /// What the server answered to what, for logs. Holds no header, no body, no query and no credentials.
    public var description: String { "the server answered \(statusCode) (\(head.summary))" }
}

extension ResponseHead {
    /// The request that was answered, in a few words.
    var summary: String {
        guard let request = transportRequest else { return "to a request that is not known" }
        return "to \(request.method.rawValue) \(request.url.plainDescription)"
    }
}
