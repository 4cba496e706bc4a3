public import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension Resource {
    /// Changes a request before it is sent.
    public typealias RequestMutation = @Sendable (inout URLRequest) -> Void

    /// Asks the server something, and leaves what is known of the resource as it is.
    ///
    /// ```swift
    /// user.request(.delete).onSuccess { _ in list.load() }
    /// ```
    ///
    /// - Parameters:
    ///   - method: What is asked.
    ///   - requestMutation: Changes the request once the configuration's headers are set, and before its mutations.
    /// - Returns: The request, started, gone through the configuration's decorators.
    @discardableResult
    public func request(_ method: RequestMethod, requestMutation: @escaping RequestMutation = { _ in }) -> any Request {
        let request = makeRequest(method, requestMutation)
        track(request)
        return request.start()
    }

    /// Sends data.
    @discardableResult
    public func request(
        _ method: RequestMethod, data: Data, contentType: String,
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> any Request {
        request(method) { request in
            request.httpBody = data
            request.setValue(contentType, forHTTPHeaderField: "Content-Type")
            requestMutation(&request)
        }
    }

    /// Sends text. One that cannot be written in the encoding fails with ``RequestError/Cause/UnencodableText``.
    @discardableResult
    public func request(
        _ method: RequestMethod, text: String, contentType: String = "text/plain", encoding: String.Encoding = .utf8,
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> any Request {
        let contentType = RequestBody.contentType(contentType, encoding: encoding)
        return send(method, contentType, requestMutation) { () throws(RequestError) in
            try RequestBody.text(text, encoding: encoding)
        }
    }

    /// Sends JSON. What cannot be written as JSON fails with ``RequestError/Cause/InvalidJSONObject``.
    @discardableResult
    public func request(
        _ method: RequestMethod, json: any JSONConvertible, contentType: String = "application/json",
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> any Request {
        send(method, contentType, requestMutation) { () throws(RequestError) in try RequestBody.json(json) }
    }

    /// Sends a value as JSON. One that cannot be encoded fails with what its encoding threw.
    @discardableResult
    public func request<Value: Encodable>(
        _ method: RequestMethod, encoding value: Value, with encoder: JSONEncoder = JSONEncoder(),
        contentType: String = "application/json", requestMutation: @escaping RequestMutation = { _ in }
    ) -> any Request {
        send(method, contentType, requestMutation) { () throws(RequestError) in
            do { return try encoder.encode(value) } catch { throw RequestError(error) }
        }
    }

    /// Sends a form. Text that cannot be written in one fails with ``RequestError/Cause/NotURLEncodable``.
    @discardableResult
    public func request(
        _ method: RequestMethod, urlEncoded params: [String: String],
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> any Request {
        send(method, "application/x-www-form-urlencoded", requestMutation) { () throws(RequestError) in
            try RequestBody.urlEncoded(params)
        }
    }

    /// Sends a body; one that cannot be made fails, and nothing is sent.
    private func send(
        _ method: RequestMethod, _ contentType: String, _ mutation: @escaping RequestMutation,
        _ body: () throws(RequestError) -> Data
    ) -> any Request {
        do {
            return request(method, data: try body(), contentType: contentType, requestMutation: mutation)
        } catch {
            return Resource.failedRequest(returning: failing(error))
        }
    }

    // MARK: Making

    /// A request that is not started, gone through the configuration's decorators.
    func makeRequest(
        _ method: RequestMethod, isLoad: Bool = false, _ mutation: @escaping RequestMutation = { _ in }
    ) -> any Request {
        if let wrongAddress { return live(HardWired(.failure(failing(RequestError(wrongAddress), at: nil)))) }
        let asking = NetworkRequest(self, method, isLoad: isLoad, mutation)
        return asking.configuration.requestDecorators.reduce(live(asking)) { $1(self, $0) }
    }

    /// Headers of the configuration, then the caller's changes, then the configuration's.
    ///
    /// - Returns: Also the configuration of the method that came of it.
    func makeURLRequest(_ method: RequestMethod, _ mutation: RequestMutation) -> (URLRequest, Configuration) {
        let configuration = configuration(for: method)
        var request = URLRequest(url: url)
        request.httpMethod = method.httpName
        for (field, value) in configuration.headers { request.setValue(value, forHTTPHeaderField: field) }
        mutation(&request)
        for change in configuration.requestMutations { change(&request) }
        let asked = request.httpMethod.flatMap { RequestMethod(rawValue: $0.lowercased()) } ?? .get
        return (request, asked == method ? configuration : self.configuration(for: asked))
    }

    private func live(_ delegate: any RequestDelegate) -> any Request {
        let environment = client.environment
        return LiveRequest(
            delegate,
            in: RequestSurroundings(
                clock: environment.clock, wallClock: environment.wallClock, callbacks: service.callbacks))
    }

    /// The error of a request of this resource: it says what was asked, and when it failed by the client's clock.
    func failing(_ error: RequestError) -> RequestError { failing(error, at: url) }

    private func failing(_ error: RequestError, at url: URL?) -> RequestError {
        var error = error
        error.url = error.url ?? url
        error.timestamp = client.environment.wallClock().timeIntervalSinceReferenceDate
        return error
    }

    /// Counts a request among those under way, until it is over.
    private func track(_ request: any Request) {
        guard request.state != .completed else { return }
        state.withLock { $0.add(request) }
        request.followToEnd { [weak self, weak request] _ in
            guard let self, let request else { return }
            _ = state.withLock { $0.remove(request) }
        }
    }
}

extension Resource.State {
    mutating func add(_ request: any Request) {
        if !requests.contains(where: { $0 === request }) { requests.append(request) }
    }

    /// - Returns: The requests before, to be released outside of the lock.
    mutating func remove(_ request: any Request) -> [any Request] {
        defer { requests.removeAll { $0 === request } }
        return requests
    }
}

extension Resource {
    /// Creates a request of your own kind. It is not started.
    ///
    /// - Parameters:
    ///   - delegate: Sends the request, and passes on its response.
    ///   - callbacks: Where hooks without an actor of their own are called.
    public static func prepareRequest(
        using delegate: any RequestDelegate, callbacks: CallbackDelivery = .main
    ) -> any Request {
        LiveRequest(delegate, in: RequestSurroundings(callbacks: callbacks))
    }

    /// Returns a request that has failed, for example because its input is not valid. Its hooks are called all the same.
    public static func failedRequest(returning error: RequestError) -> any Request {
        hardWiredRequest(returning: .failure(error))
    }

    /// Returns a request that has ended with a response, without a server. Its hooks are called all the same.
    public static func hardWiredRequest(returning response: Response) -> any Request {
        LiveRequest(HardWired(response)).start()
    }
}

/// Knows its response.
struct HardWired: RequestDelegate {
    private let response: Response

    init(_ response: Response) {
        self.response = response
    }

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {
        completionHandler.broadcastResponse(ResponseInfo(response: response))
    }

    func cancelUnderlyingOperation() {}

    func repeated() -> any RequestDelegate { self }

    var requestDescription: String { "a request with a known response" }
}
