internal import PigeonBase

/// Keeps a request until it is over, for a delegate that may keep this for longer: the request keeps the delegate.
final class CompletionHandler: RequestCompletionHandler {
    private let request: Locked<LiveRequest?>

    init(_ request: LiveRequest) {
        self.request = Locked(request)
    }

    func broadcastResponse(_ newInfo: ResponseInfo) {
        request.withLock { $0 }?.broadcastResponse(newInfo)
    }

    func willIgnore(_ responseInfo: ResponseInfo) -> Bool {
        request.withLock { $0 }?.willIgnore(responseInfo) ?? true
    }

    func letGo() {
        let old = request.withLock { request in
            defer { request = nil }
            return request
        }
        _ = old
    }
}
