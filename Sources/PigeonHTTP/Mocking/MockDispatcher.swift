public import Foundation

/// A dispatcher without a network, for tests and previews.
///
/// ```swift
/// let dispatcher = MockDispatcher(baseUrl: url, mockStatusCode: .ok)
/// try dispatcher.setMockData(user)                                     // the answer to whatever is asked
/// dispatcher.answer(.get, "/users/:id") { request, values in .text(values["id"] ?? "") }      // or one by one
/// ```
///
/// Requests are built as a ``NetworkDispatcher`` builds them, so that one that cannot be sent fails here too. To test
/// retries, redirects or tokens, put a ``MockTransport`` under a ``NetworkDispatcher``. It may be used from any thread.
open class MockDispatcher: Dispatcher, ServerProvider, @unchecked Sendable {  // its state is under locks
    private struct Settings {
        var data: Data?
        var statusCode: StatusCode
        var headers: [String: String]
        var delay: TimeInterval = 0
    }

    /// Where scripted answers come from, and where requests are remembered.
    public let transport: MockTransport

    private let settings: Locked<Settings>

    /// Creates a dispatcher that answers everything alike, until answers are scripted.
    ///
    /// - Parameters:
    ///   - baseUrl: The address that the paths of requests are added to.
    ///   - mockStatusCode: The status of the answer.
    ///   - mockHeaders: The header fields of the answer.
    ///   - clock: What delays are measured on.
    public init(
        baseUrl: URL, mockStatusCode: StatusCode, mockHeaders: [String: String] = [:],
        clock: any QueryClock = SystemClock()
    ) {
        transport = MockTransport(baseURL: baseUrl, clock: clock)
        settings = Locked(Settings(statusCode: mockStatusCode, headers: mockHeaders))
    }

    /// The body of the answer while nothing is scripted.
    open var mockData: Data? {
        get { settings.withLock { $0.data } }
        set { settings.withLock { $0.data = newValue } }
    }

    /// The status of the answer while nothing is scripted.
    open var mockStatusCode: StatusCode {
        get { settings.withLock { $0.statusCode } }
        set { settings.withLock { $0.statusCode = newValue } }
    }

    /// The header fields of the answer while nothing is scripted.
    open var mockHeaders: [String: String] {
        get { settings.withLock { $0.headers } }
        set { settings.withLock { $0.headers = newValue } }
    }

    /// How long the heads of answers take, in seconds; a scripted answer may have a delay of its own. What is negative or
    /// no number is none.
    open var delay: TimeInterval {
        get { settings.withLock { $0.delay } }
        set { settings.withLock { $0.delay = newValue } }
    }

    /// The address that the paths of requests are added to, and below whose path the patterns begin.
    public var baseURL: URL? {
        get { transport.baseURL }
        set { transport.baseURL = newValue }
    }

    /// What was asked, first to last, answered or not.
    public var requests: [MockRequest] { transport.requests }

    /// Returns a future that sends the request when it is started. It retains the dispatcher until it ends.
    open func future(from request: any Request) -> ResponseFuture<Response<Data?>> {
        ResponseFuture { report in try await self.response(from: request, report: report) }
    }

    /// Returns the answer, whatever its status.
    ///
    /// - Throws: ``HTTPError/request(_:)`` or ``HTTPError/defect(_:)`` for a request that cannot be sent,
    ///   ``HTTPError/other(_:)`` with an ``UnscriptedRequest`` when answers are scripted and none is for this request,
    ///   ``HTTPError/cancelled``, and the scripted errors.
    open func response(
        from request: any Request, report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<Data?> {
        try await response(to: transportRequest(from: request), report: report)
    }

    /// Returns the answer to a request that has its whole address, whatever the status.
    package func response(
        to request: TransportRequest, report: TransferReport?
    ) async throws(HTTPError) -> Response<Data?> {
        let response = try await stream(to: request, report: report)
        let data = try await response.data.collected(limit: nil)
        let isNothing = data.isEmpty && !transport.isScripted && mockData == nil
        return response.withData(isNothing ? nil : data)
    }

    /// Returns the answer, whatever its status, as soon as its head is due.
    ///
    /// - Throws: What ``response(from:report:)`` throws.
    open func stream(
        from request: any Request, report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<HTTPChunks> {
        try await stream(to: transportRequest(from: request), report: report)
    }

    private func stream(
        to request: TransportRequest, report: TransferReport?
    ) async throws(HTTPError) -> Response<HTTPChunks> {
        let unscripted = MockAnswer.data(mockData ?? Data(), status: mockStatusCode, headers: HTTPHeaders(mockHeaders))
        let answer = try await transport.stream(
            request, report: report, unscripted: unscripted, delay: Duration(untrustedSeconds: delay) ?? .zero)
        return Response(request, answer, data: answer.body)
    }
}

extension MockDispatcher {
    /// Answers with a value as JSON. Dates are written as RFC 3339 has them.
    ///
    /// - Throws: What the encoder throws.
    public func setMockData<T: Encodable>(encodable: T) throws {
        mockData = try JSONEncoder.rfc3339.encode(encodable)
    }

    /// Answers with a value as JSON. Dates are written as RFC 3339 has them.
    ///
    /// - Throws: What the encoder throws.
    public func setMockData<T: Encodable>(_ encodable: T) throws {
        try setMockData(encodable: encodable)
    }

    /// Answers with an object of plain values as JSON; `nil` is written as `null`.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` that names what JSON cannot express, and where it is.
    public func setMockData(jsonObject: [String: Any?], options: JSONSerialization.WritingOptions = []) throws {
        mockData = try JSONText.data(of: jsonObject, options: options)
    }

    /// Answers with a text that is JSON. What the encoding cannot express is no data.
    public func setMockData(jsonString: String, encoding: String.Encoding = .utf8) {
        mockData = jsonString.data(using: encoding)
    }

    /// Answers requests by a function: ``MockTransport/answer(_:_:_:)``.
    public func answer(
        _ method: HTTPMethod?, _ pattern: PathPattern, _ handler: @escaping MockTransport.Handler
    ) {
        transport.answer(method, pattern, handler)
    }

    /// Answers requests one after another: ``MockTransport/answer(_:_:with:then:)``.
    public func answer(
        _ method: HTTPMethod?, _ pattern: PathPattern, with first: MockAnswer, then others: MockAnswer...
    ) {
        transport.answer(method, pattern, with: [first] + others)
    }
}
