internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A request's body, in the form that a session can send.
enum URLSessionUpload: Sendable {
    case nothing
    case data(Data)
    case file(URL, count: Int64)
    /// Several pieces, files among them, put together.
    case temporary(TemporaryFile, count: Int64)

    /// Looks at the body's files, and puts pieces together.
    init(_ request: TransportRequest) async throws(RequestDefect) {
        guard let body = request.body, !body.segments.isEmpty else {
            self = .nothing
            return
        }
        let count = try body.byteCount()
        guard count == 0 || request.method != .get else {
            throw .invalidBody(reason: "URLSession sends no body with GET")
        }
        if count == 0 {
            self = .nothing
        } else if let data = body.bytes {
            self = .data(data)
        } else if body.segments.count == 1, case .file(let url) = body.segments[0] {
            self = .file(url, count: count)
        } else {
            self = .temporary(try await TemporaryFile(body.segments), count: count)
        }
    }

    /// The number of bytes to send.
    var count: Int64 {
        switch self {
        case .nothing: 0
        case .data(let data): Int64(data.count)
        case .file(_, let count), .temporary(_, let count): count
        }
    }

    /// The task that sends it. An upload task for data too: a data task would claim that they are a form.
    func task(for request: URLRequest, in session: URLSession) -> URLSessionTask {
        switch self {
        case .nothing: session.dataTask(with: request)
        case .data(let data): session.uploadTask(with: request, from: data)
        case .file(let url, _): session.uploadTask(with: request, fromFile: url)
        case .temporary(let file, _): session.uploadTask(with: request, fromFile: file.url)
        }
    }
}

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
