/// Takes the response of a request, and retains the request until it is over.
///
/// A delegate may keep this for longer, and the request retains the delegate.
final class CompletionHandler: RequestCompletionHandler, @unchecked Sendable {  // `retained` by the lock of the request
    private weak var request: LiveRequest?  // set once
    private var retained: LiveRequest?

    init(_ request: LiveRequest) {
        self.request = request
        retained = request
    }

    func broadcastResponse(_ newInfo: ResponseInfo) {
        request?.broadcastResponse(newInfo)
    }

    func willIgnore(_ responseInfo: ResponseInfo) -> Bool {
        request?.willIgnore(responseInfo) ?? true
    }

    /// Under the lock of the request.
    ///
    /// - Returns: The request, to be released outside of the lock.
    func release() -> LiveRequest? {
        defer { retained = nil }
        return retained
    }
}
