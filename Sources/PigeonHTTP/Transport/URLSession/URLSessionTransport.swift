public import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Sends requests by one `URLSession`, which lives as long as the transport and reuses its connections.
///
/// ```swift
/// let transport = URLSessionTransport()
/// let answer = try await transport.send(TransportRequest(method: .get, url: url), limit: 1 << 20, report: nil)
/// ```
///
/// The session follows no redirect. Requests in flight retain the transport, and the session is invalidated after they
/// have ended. `URLSession` decompresses bodies, joins header fields of one name with ", ", adds header fields of its
/// own (`User-Agent`, `Accept-Encoding`, …), and sends no body with GET: such a request is a
/// ``RequestDefect/invalidBody(reason:cause:)``.
///
/// On Linux, these are different:
/// - Bodies are requested uncompressed (`Accept-Encoding: identity`), since `URLSession` there takes an incomplete
///   compressed body for a complete one. A response that is compressed all the same is
///   `URLError.cannotDecodeContentData`. A request or a configuration with an `Accept-Encoding` of its own gets what it
///   asks for, within the limit, and must check itself whether it is complete.
/// - If a reader of ``stream(_:report:)`` is slower than the server, up to 64 MiB wait in memory. To slow the server
///   down, all sessions of the process are slowed down, by up to 2 s. If the reader is slower than that, the stream
///   ends with `URLError.dataLengthExceedsMaximum`. On Apple's platforms at most a megabyte waits, and other sessions
///   do not.
/// - The configuration's `urlCache` is not used. A session with a cache ends the process if a task is cancelled at the
///   moment at which the cache is read.
/// - An address with an IPv6 literal is `URLError.badURL`. A response is an error if its status line has no reason, or if
///   a header field contains a byte of Latin-1. If the server writes the name of a field in two ways, such as `Vary` and
///   `vary`, one field may be lost. Foundation up to 6.3 does all of that.
/// - The body of a 301, 302, 303, 305, 307 or 308 without a `Location` is lost, and a redirect's head arrives only with
///   its body.
/// - Foundation up to 6.3 ends the process if a server closes the connection within the head of its response
///   (swift-corelibs-foundation, issue 5285), names a `Content-Length` of more than 2⁶³ − 513, or sends trailer fields.
///   While a server sends chunks of a few bytes faster than they are read, the session works on nothing else, frees
///   nothing, and does not stop when the request has ended. The transport cannot prevent this: for servers that are not
///   trusted, use `AsyncHTTPClientTransport`.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let delegate = Delegate()
    #if canImport(FoundationNetworking)
        let throttle = SessionThrottle()
        private let calls = DispatchQueue(label: "pigeon.urlsession")
    #endif
    private let clock: any QueryClock
    /// The configuration's timeout. A session would copy its whole configuration for each access.
    private let idleTimeout: TimeInterval
    /// True if the configuration does not set `Accept-Encoding`.
    private let asksForIdentity: Bool

    /// `URLSessionConfiguration.ephemeral` without its `URLCache`. Each is a new one, with cookies and credentials of
    /// its own that are kept only in memory. Anything that outlives a sign-out, or belongs to the whole process, could
    /// not be wiped.
    public static var defaultConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return configuration
    }

    /// Creates a transport with a session of its own.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the session. It is copied.
    ///   - clock: Measures ``TransportRequest/timeout``.
    public init(
        configuration: URLSessionConfiguration = URLSessionTransport.defaultConfiguration,
        clock: any QueryClock = SystemClock()
    ) {
        #if canImport(FoundationNetworking)
            let queue: OperationQueue? = DelegateQueue(throttle)
            let configuration = configuration.withoutCache
        #else
            let queue: OperationQueue? = nil
        #endif
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        self.clock = clock
        idleTimeout = configuration.timeoutIntervalForRequest
        let common = configuration.httpAdditionalHeaders ?? [:]
        asksForIdentity = !common.keys.contains { ($0 as? String)?.isSameHeader(as: "Accept-Encoding") ?? false }
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    package func cancelAll() {
        // After the requests that wait to be made. As for one, so that no redirect of a cancelled task is answered.
        whenFree { for carrier in self.delegate.carriers { carrier.cancel() } }
    }

    /// Sends a request and returns when the whole response has arrived.
    public func send(
        _ request: TransportRequest, limit: Int?, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<Data> {
        try await start(request, as: .whole(limit: limit), report: report).whole()
    }

    /// Sends a request and returns when the head of the response has arrived.
    public func stream(
        _ request: TransportRequest, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<HTTPChunks> {
        try await start(request, as: .stream, report: report).stream()
    }

    private func start(
        _ request: TransportRequest, as kind: Exchange.Kind, report: TransferReport?
    ) async throws(HTTPError) -> Exchange {
        guard !Task.isCancelled else { throw .cancelled }
        try request.headers.checkForSending()  // the session would silently omit such a field
        let upload: URLSessionUpload
        do { upload = try await URLSessionUpload(request) } catch { throw .defect(error) }
        let exchange = Exchange(for: request, as: kind, sending: upload.count, report: report, clock: clock)
        if let timeout = request.timeout { exchange.expire(after: timeout) }
        // Not made on the queue, where other requests would wait for it.
        let urlRequest = URLRequest(request, idleTimeout: idleTimeout, asksForIdentity: asksForIdentity)
        whenFree { self.carry(exchange, urlRequest, upload) }
        return exchange
    }

    private func carry(_ exchange: Exchange, _ request: URLRequest, _ upload: URLSessionUpload) {
        guard !exchange.hasEnded else { return }
        let carrier = URLSessionCarrier(upload.task(for: request, in: session), for: exchange, of: self, upload: upload)
        exchange.attach(carrier)
        delegate.add(carrier)
        carrier.task.resume()
    }

    /// Makes a call that may have to wait for the session. On Linux it is made on a queue, in order, since the session
    /// may be busy with another response for seconds. The order also prevents that a task is cancelled before it was
    /// resumed, for which the session ends the process there.
    func whenFree(_ call: @escaping @Sendable () -> Void) {
        #if canImport(FoundationNetworking)
            calls.async(execute: call)
        #else
            call()
        #endif
    }
}

#if canImport(FoundationNetworking)
    extension URLSessionConfiguration {
        fileprivate var withoutCache: URLSessionConfiguration {
            guard urlCache != nil, let copy = copy() as? URLSessionConfiguration else { return self }
            copy.urlCache = nil
            return copy
        }
    }
#endif

extension URLSessionTransport {
    /// The session's delegate. It passes each event of a task to the task's exchange.
    final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
        private let running = Locked<[Int: URLSessionCarrier]>([:])

        /// Retains a carrier until its task has ended.
        func add(_ carrier: URLSessionCarrier) {
            running.withLock { $0[carrier.task.taskIdentifier] = carrier }
        }

        /// The carriers of all tasks that have not ended.
        var carriers: [URLSessionCarrier] { running.withLock { Array($0.values) } }

        private func carrier(of task: URLSessionTask) -> URLSessionCarrier? {
            running.withLock { $0[task.taskIdentifier] }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            carrier(of: task)?.declineRedirect(completionHandler)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            carrier(of: task)?.exchange.didSend(totalBytesSent)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            carrier(of: dataTask)?.didReceive(response)
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            carrier(of: dataTask)?.exchange.didReceive(data)
        }

        #if canImport(FoundationNetworking)
            // Called after the body of a 401. Without this function, the session on Linux would wait forever.
            func urlSession(
                _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
                completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) {
                guard let carrier = carrier(of: task) else { return }
                carrier.exchange.didEnd(with: nil)
                carrier.transport.whenFree {
                    // The session ends the process if the challenge of a task that was cancelled is answered.
                    if carrier.task.state == .running { completionHandler(.cancelAuthenticationChallenge, nil) }
                }
            }
        #endif

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let carrier = running.withLock { $0.removeValue(forKey: task.taskIdentifier) }
            carrier?.didEnd(with: error)
        }
    }
}
