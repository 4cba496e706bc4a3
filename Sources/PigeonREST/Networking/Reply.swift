internal import Foundation
internal import PigeonBase
internal import PigeonHTTP

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The outcome of a request at a provider: the head and body of the response, or the error if there is no response.
struct Reply: Sendable {
    /// The head of a response. To create Foundation's type and read it again takes longer than PigeonHTTP takes for the
    /// whole request, so the providers of this module do not.
    struct Head: Sendable {
        let status: Int
        let url: URL?
        let fields: [String: String]
    }

    var head: Head?
    var body: Data?
    var error: (any Error)?
    /// True if the error is that of the program's own part in the request, such as an adapter.
    var isLocal = false
}

extension Reply.Head {
    init(_ response: HTTPURLResponse) {
        status = response.statusCode
        url = response.url
        var fields: [String: String] = [:]
        for (name, value) in response.allHeaderFields { fields["\(name)"] = "\(value)" }
        self.fields = fields
    }

    fileprivate init(_ head: ResponseHead) {
        switch head {
        case .foundation(let response, _): self.init(response)
        case .transported(let request, let status, let headers):
            self.init(status: status, url: request.url, fields: headers.lowercased)
        }
    }
}

extension Reply {
    fileprivate init(_ outcome: Result<AsyncProvider.Answer, HTTPError>) {
        switch outcome {
        case .success(let answer): self.init(head: Head(answer.head), body: answer.data)
        case .failure(.status(let answer)):
            // The token that the server refused could not be renewed.
            self.init(head: Head(answer.head), body: answer.data, error: HTTPError.status(answer))
        case .failure(let error): self.init(error: error.underlying, isLocal: error.isLocal)
        }
    }
}

extension NetworkingProvider {
    /// Starts a request, and awaits `receive` with its outcome.
    ///
    /// - Parameter isShared: True if others than the caller use the response. The request has none of his task-locals.
    func start(
        _ request: URLRequest, isShared: Bool, receive: @escaping @Sendable (Reply) async -> Void
    ) -> any RequestNetworking {
        if let provider = self as? AsyncProvider {
            return provider.start(request, isShared: isShared) { await receive(Reply($0)) }
        }
        return startRequest(request) { head, body, error in
            launchImmediately { await receive(Reply(head: head.map(Reply.Head.init), body: body, error: error)) }
        }
    }
}
