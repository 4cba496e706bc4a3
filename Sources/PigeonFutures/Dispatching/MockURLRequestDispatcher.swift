public import Foundation
public import PigeonHTTP

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Answers plain `URLRequest`s by a closure, without a network.
///
/// ```swift
/// let dispatcher = MockURLRequestDispatcher(delay: 0.5) { request in
///     try Response.makeMockJSONResponse(with: request, encodable: post, statusCode: .ok)
/// }
/// ```
///
/// A `MockDispatcher` answers by method and path, and records its requests.
open class MockURLRequestDispatcher: DataDispatcher, UploadDispatcher, @unchecked Sendable {  // `settings` is a lock
    /// Creates the response to a request, on the actor it was written on. A thrown error is the future's error.
    public typealias ResponseCallback = @isolated(any) @Sendable (URLRequest) throws -> Response<Data?>

    private struct Settings {
        var delay: TimeInterval
        var callback: ResponseCallback?
    }

    private let settings: Locked<Settings>
    private let clock: any QueryClock

    /// Creates a dispatcher.
    ///
    /// - Parameters:
    ///   - delay: How long responses take, in seconds. A number that is negative or not finite means no delay.
    ///   - clock: Measures the delay.
    ///   - callback: Creates the responses.
    public init(
        delay: TimeInterval = 0, clock: any QueryClock = SystemClock(),
        @_inheritActorContext callback: @escaping ResponseCallback
    ) {
        settings = Locked(Settings(delay: delay, callback: callback))
        self.clock = clock
    }

    /// How long responses take, in seconds. A number that is negative or not finite means no delay.
    open var delay: TimeInterval {
        get { settings.withLock { $0.delay } }
        set { settings.withLock { $0.delay = newValue } }
    }

    /// Creates the responses. Without it, futures fail with an `UnscriptedRequest`.
    open var callback: ResponseCallback? {
        // The function type must not become a generic argument, for which systems before 2024 have no metadata.
        get { settings.withLock { $0 }.callback }
        set { settings.update { $0.callback = newValue } }
    }

    /// Returns a future with the callback's response.
    open func dataFuture(from urlRequest: URLRequest) -> ResponseFuture<Response<Data?>> {
        ResponseFuture { _ in
            guard let callback = self.callback else {
                let method = urlRequest.httpMethod.flatMap(HTTPMethod.init) ?? .get
                throw UnscriptedRequest(method: method, path: urlRequest.url?.path ?? "")
            }
            let response = try await callback(urlRequest)
            if let delay = Duration(untrustedSeconds: self.delay) { try await self.clock.sleep(for: delay) }
            return response
        }
    }

    /// Returns a future with the callback's response.
    open func uploadFuture(from urlRequest: URLRequest) -> ResponseFuture<Response<Data?>> {
        dataFuture(from: urlRequest)
    }

    /// Returns a future with the callback's response. The data become the body of the callback's request.
    open func uploadFuture(from urlRequest: URLRequest, with data: Data) -> ResponseFuture<Response<Data?>> {
        var urlRequest = urlRequest
        urlRequest.httpBody = data
        return dataFuture(from: urlRequest)
    }
}

extension Response where T == Data? {
    /// Creates a response whose body is an object of plain values as JSON, with `null` for `nil`.
    ///
    /// - Throws: `RequestError.missingURL` if the request has no address, and
    ///   `RequestDefect.invalidBody(reason:cause:)`, which names the value that JSON cannot express.
    public static func makeMockResponse(
        with urlRequest: URLRequest, jsonObject: [String: Any?], options: JSONSerialization.WritingOptions = [],
        statusCode: StatusCode, headers: [String: String] = [:]
    ) throws -> Response<Data?> {
        try makeMockResponse(
            with: urlRequest, data: try JSONText.data(of: jsonObject, options: options), statusCode: statusCode,
            headers: headers)
    }

    /// Creates a response whose body is a text that is JSON. A text that the encoding cannot express gives no body.
    ///
    /// - Throws: `RequestError.missingURL` if the request has no address.
    public static func makeMockResponse(
        with urlRequest: URLRequest, jsonString: String, encoding: String.Encoding = .utf8, statusCode: StatusCode,
        headers: [String: String] = [:]
    ) throws(RequestError) -> Response<Data?> {
        try makeMockResponse(
            with: urlRequest, data: jsonString.data(using: encoding), statusCode: statusCode, headers: headers)
    }
}
