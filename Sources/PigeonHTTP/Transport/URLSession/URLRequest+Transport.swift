internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension URLRequest {
    /// The request as a session sends it, without its body.
    ///
    /// - Parameters:
    ///   - idleTimeout: The session's own, in seconds. It must not strike before the request's.
    ///   - asksForIdentity: Whether, on Linux, a request that does not say else asks for a body as it is.
    init(_ request: TransportRequest, idleTimeout: TimeInterval, asksForIdentity: Bool) {
        self.init(url: request.url)
        httpMethod = request.method.rawValue
        for (name, value) in request.headers.withoutFraming.dictionary {
            setValue(value, forHTTPHeaderField: name)
        }
        #if canImport(FoundationNetworking)
            // There, bodies are inflated without a bound on what is made of one reading, and without a look whether they are
            // whole.
            if asksForIdentity, request.headers["Accept-Encoding"] == nil {
                setValue("identity", forHTTPHeaderField: "Accept-Encoding")
            }
        #endif
        guard let timeout = request.timeout else { return }
        let year: TimeInterval = 31_536_000
        timeoutInterval = max(idleTimeout, min(timeout.inSeconds, year).rounded(.up) + 1)
    }
}
