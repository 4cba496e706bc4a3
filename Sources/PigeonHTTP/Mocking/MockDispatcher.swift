public import Foundation

/// A dispatcher without a network, for tests and previews.
///
/// ```swift
/// let dispatcher = MockDispatcher(baseUrl: url, mockStatusCode: .ok)
/// try dispatcher.setMockData(user)                                     // the answer to whatever is asked
/// dispatcher.answer(.get, "/users/:id") { request, values in .text(values["id"] ?? "") }      // or one by one
/// ```
///
/// Requests are built as a ``NetworkDispatcher`` builds them, so a request that cannot be sent fails here too. To test
/// retries, redirects or tokens, use a ``MockTransport`` under a ``NetworkDispatcher``. A mock dispatcher can be used
/// from any thread.
open class MockDispatcher: Dispatcher, ServerProvider, @unchecked Sendable {  // its state is under locks
    private struct Settings {
        var data: Data?
        var statusCode: StatusCode
        var headers: [String: String]
        var delay: TimeInterval = 0
    }

    /// The transport that gives scripted answers and records requests.
    public let transport: MockTransport

    private let settings: Locked<Settings>

    /// Creates a dispatcher that gives the same answer to every request, until answers are scripted.
    ///
    /// - Parameters:
    ///   - baseUrl: The address that the paths of requests are added to.
    ///   - mockStatusCode: The status of the answer.
    ///   - mockHeaders: The header fields of the answer.
    ///   - clock: Measures delays.
    public init(
        baseUrl: URL, mockStatusCode: StatusCode, mockHeaders: [String: String] = [:],
        clock: any QueryClock = SystemClock()
    ) {
        transport = MockTransport(baseURL: baseUrl, clock: clock)
        settings = Locked(Settings(statusCode: mockStatusCode, headers: mockHeaders))
    }

    /// The body of the answer if no answers are scripted.
    open var mockData: Data? {
        get { settings.withLock { $0.data } }
        set { settings.withLock { $0.data = newValue } }
    }

    /// The status of the answer if no answers are scripted.
    open var mockStatusCode: StatusCode {
        get { settings.withLock { $0.statusCode } }
        set { settings.withLock { $0.statusCode = newValue } }
    }

    /// The header fields of the answer if no answers are scripted.
    open var mockHeaders: [String: String] {
        get { settings.withLock { $0.headers } }
        set { settings.withLock { $0.headers = newValue } }
    }

    /// How long the heads of answers take, in seconds. A scripted answer can have a delay of its own. A number that is
    /// negative or not finite means no delay.
    open var delay: TimeInterval {
        get { settings.withLock { $0.delay } }
        set { settings.withLock { $0.delay = newValue } }
    }

    /// The address that the paths of requests are added to. The patterns of scripted answers begin below its path.
    public var baseURL: URL? {
        get { transport.baseURL }
        set { transport.baseURL = newValue }
    }

    /// All requests in their order, answered or not.
    public var requests: [MockRequest] { transport.requests }

    /// Returns the answer, whatever its status.
    ///
    /// - Throws: ``HTTPError/request(_:)`` or ``HTTPError/defect(_:)`` for a request that cannot be sent,
    ///   ``HTTPError/other(_:)`` with an ``UnscriptedRequest`` if answers are scripted and none matches this request,
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
    /// - Throws: The errors of ``response(from:report:)``.
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
    /// Sets the body of the answer to a value as JSON, with dates as in RFC 3339.
    ///
    /// - Throws: The encoder's error.
    public func setMockData<T: Encodable>(encodable: T) throws {
        mockData = try JSONEncoder.rfc3339.encode(encodable)
    }

    /// Sets the body of the answer to a value as JSON, with dates as in RFC 3339.
    ///
    /// - Throws: The encoder's error.
    public func setMockData<T: Encodable>(_ encodable: T) throws {
        try setMockData(encodable: encodable)
    }

    /// Sets the body of the answer to an object of plain values as JSON, with `null` for `nil`.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)``, which names the value that JSON cannot express, and its
    ///   place.
    public func setMockData(jsonObject: [String: Any?], options: JSONSerialization.WritingOptions = []) throws {
        mockData = try JSONText.data(of: jsonObject, options: options)
    }

    /// Sets the body of the answer to a text that is JSON. A text that the encoding cannot express gives no body.
    public func setMockData(jsonString: String, encoding: String.Encoding = .utf8) {
        mockData = jsonString.data(using: encoding)
    }

    /// Answers requests by a function, as ``MockTransport/answer(_:_:_:)`` does.
    public func answer(
        _ method: HTTPMethod?, _ pattern: PathPattern, _ handler: @escaping MockTransport.Handler
    ) {
        transport.answer(method, pattern, handler)
    }

    /// Answers requests one after another, as ``MockTransport/answer(_:_:with:then:)`` does.
    public func answer(
        _ method: HTTPMethod?, _ pattern: PathPattern, with first: MockAnswer, then others: MockAnswer...
    ) {
        transport.answer(method, pattern, with: [first] + others)
    }
}
