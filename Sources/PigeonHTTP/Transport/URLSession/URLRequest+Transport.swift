internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension URLRequest {
    /// The request as a session sends it, without its body.
    ///
    /// - Parameter idleTimeout: The session's own, in seconds. It must not strike before the request's.
    init(_ request: TransportRequest, idleTimeout: TimeInterval) {
        self.init(url: request.url)
        httpMethod = request.method.rawValue
        for (name, value) in request.headers.withoutFraming.dictionary {
            setValue(value, forHTTPHeaderField: name)
        }
        guard let timeout = request.timeout else { return }
        let year: TimeInterval = 31_536_000
        timeoutInterval = max(idleTimeout, min(timeout.inSeconds, year).rounded(.up) + 1)
    }
}
