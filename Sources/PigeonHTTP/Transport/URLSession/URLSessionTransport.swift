public import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Carries requests by one `URLSession`, which lives as long as the transport and uses its connections again.
///
/// ```swift
/// let transport = URLSessionTransport()
/// let answer = try await transport.send(TransportRequest(method: .get, url: url), limit: 1 << 20, report: nil)
/// ```
///
/// The session follows no redirect. Requests under way keep the transport, and their end is awaited before the session
/// is invalidated. `URLSession` decompresses bodies, joins header fields of one name with ", ", adds header fields of its
/// own (`User-Agent`, `Accept-Encoding`, …), and sends no body with GET: such a request is a
/// ``RequestDefect/invalidBody(reason:cause:)``.
///
/// On Linux, these are different:
/// - Bodies are asked for as they are (`Accept-Encoding: identity`), since `URLSession` there takes a compressed body that
///   breaks off for a whole one. One that is compressed all the same is `URLError.cannotDecodeContentData`. A request, or a
///   configuration, with an `Accept-Encoding` of its own gets what it asks for, within the limit, and must see for itself
///   whether it is whole.
/// - For a reader of ``stream(_:report:)`` who is slower than the server, up to 64 MiB wait in memory. To slow the server down,
///   all sessions of the process are, by up to 2 s; for a reader who is slower than that, the stream ends with
///   `URLError.dataLengthExceedsMaximum`. On Apple's platforms, a megabyte waits at most, and nobody else.
/// - The body of a 301, 302, 303, 305, 307 or 308 that has no `Location` is lost, and a redirect's head comes only with its
///   body.
/// - Foundation up to 6.3 ends the process when a server closes the connection within the head of its answer
///   (swift-corelibs-foundation, issue 5285), names a `Content-Length` of more than 2⁶³ − 513, or sends trailer fields. While
///   a server sends chunks of some bytes faster than they are read, the session works on nothing else, frees nothing, and does
///   not stop when the request has ended. Nothing can be done about that from here: for servers that are not trusted, use
///   `AsyncHTTPClientTransport`.
public final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let delegate = Delegate()
    #if canImport(FoundationNetworking)
        let throttle = SessionThrottle()
        private let calls = DispatchQueue(label: "pigeon.urlsession")
    #endif
    private let clock: any QueryClock
    /// The configuration's; a session makes a copy of all of it for who asks.
    private let idleTimeout: TimeInterval
    /// Whether the configuration leaves it open which codings to ask for.
    private let asksForIdentity: Bool

    /// `URLSessionConfiguration.ephemeral` without its `URLCache`: a new one each time, with cookies and credentials of its
    /// own that are kept in memory alone. What outlives a sign-out, or belongs to the whole process, nobody could wipe.
    public static var defaultConfiguration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return configuration
    }

    /// Creates a transport with a session of its own.
    ///
    /// - Parameters:
    ///   - configuration: Of the session. It is copied.
    ///   - clock: Measures ``TransportRequest/timeout``.
    public init(
        configuration: URLSessionConfiguration = URLSessionTransport.defaultConfiguration,
        clock: any QueryClock = SystemClock()
    ) {
        #if canImport(FoundationNetworking)
            let queue: OperationQueue? = DelegateQueue(throttle)
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

    /// Cancels the requests under way.
    func cancelAll() {
        whenFree {
            self.session.getAllTasks { tasks in
                self.whenFree { for task in tasks { task.cancel() } }
            }
        }
    }

    /// Sends a request and returns when the whole answer has arrived.
    public func send(
        _ request: TransportRequest, limit: Int?, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<Data> {
        try await start(request, as: .whole(limit: limit), report: report).whole()
    }

    /// Sends a request and returns when the head of the answer has arrived.
    public func stream(
        _ request: TransportRequest, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<HTTPChunks> {
        try await start(request, as: .stream, report: report).stream()
    }

    private func start(
        _ request: TransportRequest, as kind: Exchange.Kind, report: TransferReport?
    ) async throws(HTTPError) -> Exchange {
        guard !Task.isCancelled else { throw .cancelled }
        let upload: URLSessionUpload
        do {
            try request.headers.checkForSending()  // the session would leave such a field out without a word
            upload = try await URLSessionUpload(request)
        } catch {
            throw .defect(error)
        }
        let exchange = Exchange(for: request, as: kind, sending: upload.count, report: report, clock: clock)
        if let timeout = request.timeout { exchange.expire(after: timeout) }
        whenFree { self.carry(exchange, upload) }
        return exchange
    }

    private func carry(_ exchange: Exchange, _ upload: URLSessionUpload) {
        guard !exchange.hasEnded else { return }
        let request = URLRequest(exchange.request, idleTimeout: idleTimeout, asksForIdentity: asksForIdentity)
        let carrier = URLSessionCarrier(upload.task(for: request, in: session), for: exchange, of: self, upload: upload)
        exchange.attach(carrier)
        delegate.add(carrier)
        carrier.task.resume()
    }

    /// Does what waits for the session: on Linux in a queue, in order, since the session may be at work on somebody's answer
    /// for seconds. So no task is cancelled before it was begun, either, for which the session ends the process there.
    func whenFree(_ call: @escaping @Sendable () -> Void) {
        #if canImport(FoundationNetworking)
            calls.async(execute: call)
        #else
            call()
        #endif
    }
}

extension URLSessionTransport {
    /// The session's delegate: passes what the session tells of a task to the exchange that the task is for.
    final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
        private let running = Locked<[Int: URLSessionCarrier]>([:])

        /// Keeps a carrier until its task has ended.
        func add(_ carrier: URLSessionCarrier) {
            running.withLock { $0[carrier.task.taskIdentifier] = carrier }
        }

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
            // Told of after the body of a 401. Left to itself, the session of Linux would wait for ever.
            func urlSession(
                _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
                completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) {
                guard let carrier = carrier(of: task) else { return }
                carrier.exchange.didEnd(with: nil)
                carrier.transport.whenFree { completionHandler(.cancelAuthenticationChallenge, nil) }
            }
        #endif

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let carrier = running.withLock { $0.removeValue(forKey: task.taskIdentifier) }
            carrier?.didEnd(with: error)
        }
    }
}
