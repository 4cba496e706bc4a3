internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A request's body in a form that a session can send.
enum URLSessionUpload: Sendable {
    case nothing
    case data(Data)
    case file(URL, count: Int64)
    /// A sequence of pieces with files among them, written to one file.
    case temporary(TemporaryFile, count: Int64)

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

    var count: Int64 {
        switch self {
        case .nothing: 0
        case .data(let data): Int64(data.count)
        case .file(_, let count), .temporary(_, let count): count
        }
    }

    /// Creates the task that sends the body. Data needs an upload task too: a data task would declare it to be a form.
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
    /// Creates the request as a session sends it, without its body.
    ///
    /// - Parameters:
    ///   - idleTimeout: The session's own timeout in seconds. It must not end before the request's.
    ///   - asksForIdentity: True if, on Linux, a request without `Accept-Encoding` asks for an uncompressed body.
    init(_ request: TransportRequest, idleTimeout: TimeInterval, asksForIdentity: Bool) {
        self.init(url: request.url)
        httpMethod = request.methodName
        for (name, value) in request.headers.dictionary where !name.isFramingHeader {
            setValue(value, forHTTPHeaderField: name)
        }
        #if canImport(FoundationNetworking)
            // On Linux, bodies are decompressed without a limit on the output of one read, and without a check that
            // they are complete.
            if asksForIdentity, request.headers["Accept-Encoding"] == nil {
                setValue("identity", forHTTPHeaderField: "Accept-Encoding")
            }
        #endif
        guard let timeout = request.timeout else { return }
        let year: TimeInterval = 31_536_000
        timeoutInterval = max(idleTimeout, min(timeout.inSeconds, year).rounded(.up) + 1)
    }
}
