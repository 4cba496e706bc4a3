public import Foundation
internal import PigeonBase

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension Resource {
    /// Changes a request before it is sent.
    public typealias RequestMutation = @Sendable (inout URLRequest) -> Void

    /// Sends a request for this resource, without changing the resource's state.
    ///
    /// ```swift
    /// user.request(.delete).onSuccess { _ in list.load() }
    /// ```
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - requestMutation: Changes the request, after the configuration's headers are set and before the
    ///     configuration's mutations are applied.
    /// - Returns: The request with the configuration's decorators applied. It has been started.
    @discardableResult
    public func request(_ method: RequestMethod, requestMutation: @escaping RequestMutation = { _ in }) -> any Request {
        let request = makeRequest(method, requestMutation)
        track(request)
        return request.start()
    }

    /// Sends a request with data.
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

    /// Sends a request with a text. If the text cannot be encoded, the request fails with
    /// ``RequestError/Cause/UnencodableText``.
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

    /// Sends a request with JSON. If the value cannot be written as JSON, the request fails with
    /// ``RequestError/Cause/InvalidJSONObject``.
    @discardableResult
    public func request(
        _ method: RequestMethod, json: any JSONConvertible, contentType: String = "application/json",
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> any Request {
        send(method, contentType, requestMutation) { () throws(RequestError) in try RequestBody.json(json) }
    }

    /// Sends a request with a value as JSON. If the value cannot be encoded, the request fails with the error of the
    /// encoding.
    @discardableResult
    public func request<Value: Encodable>(
        _ method: RequestMethod, encoding value: Value, with encoder: JSONEncoder = JSONEncoder(),
        contentType: String = "application/json", requestMutation: @escaping RequestMutation = { _ in }
    ) -> any Request {
        send(method, contentType, requestMutation) { () throws(RequestError) in
            do { return try encoder.encode(value) } catch { throw RequestError(error) }
        }
    }

    /// Sends a request with a form.
    @discardableResult
    public func request(
        _ method: RequestMethod, urlEncoded params: [String: String],
        requestMutation: @escaping RequestMutation = { _ in }
    ) -> any Request {
        request(
            method, data: RequestBody.urlEncoded(params), contentType: "application/x-www-form-urlencoded",
            requestMutation: requestMutation)
    }

    /// Sends a request with a body. If the body cannot be created, returns a failed request and sends nothing.
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

    /// Creates a request with the configuration's decorators applied. It is not started.
    func makeRequest(
        _ method: RequestMethod, isLoad: Bool = false, _ mutation: @escaping RequestMutation = { _ in }
    ) -> any Request {
        if let wrongAddress { return live(FixedResponse(.failure(failing(RequestError(wrongAddress), at: nil)))) }
        let asking = NetworkRequest(self, method, isLoad: isLoad, mutation)
        return asking.configuration.requestDecorators.reduce(live(asking)) { $1(self, $0) }
    }

    /// Creates a URL request: sets the configuration's headers, then applies the caller's mutation, then the
    /// configuration's mutations.
    ///
    /// - Returns: The request, and the configuration for its method, which the mutations may have changed.
    func makeURLRequest(_ method: RequestMethod, _ mutation: RequestMutation) -> (URLRequest, Configuration) {
        let configuration = configuration(for: method)
        var request = URLRequest(url: url)
        if method != .get { request.httpMethod = method.httpName }  // each change of the request costs a copy
        for (field, value) in configuration.headers { request.setValue(value, forHTTPHeaderField: field) }
        mutation(&request)
        for change in configuration.requestMutations { change(&request) }
        if request.httpMethod == method.httpName { return (request, configuration) }
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

    /// Adds the URL of this resource to an error without one, and the current time of the client's clock.
    func failing(_ error: RequestError) -> RequestError { failing(error, at: url) }

    private func failing(_ error: RequestError, at url: URL?) -> RequestError {
        var error = error
        error.url = error.url ?? url
        error.timestamp = client.environment.wallClock().timeIntervalSinceReferenceDate
        return error
    }

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
    /// True if requests other than loads are in flight.
    var hasOtherRequests: Bool {
        requests.contains { $0.load == nil }
    }

    mutating func add(_ request: any Request, _ load: Load? = nil) {
        guard let index = requests.firstIndex(where: { $0.request === request }) else {
            return requests.append(Resource.PendingRequest(request: request, load: load))
        }
        if let load { requests[index].load = load }
    }

    /// - Returns: The previous requests, to be released outside the lock.
    mutating func remove(_ request: any Request) -> [Resource.PendingRequest] {
        defer { requests.removeAll { $0.request === request } }
        return requests
    }
}

extension Resource {
    /// Creates a custom request. It is not started.
    ///
    /// - Parameters:
    ///   - delegate: Performs the operation, and passes on its response.
    ///   - callbacks: The place where hooks without an actor are called.
    public static func prepareRequest(
        using delegate: any RequestDelegate, callbacks: CallbackDelivery = .main
    ) -> any Request {
        LiveRequest(delegate, in: RequestSurroundings(callbacks: callbacks))
    }

    /// Returns a request that has failed, for example because its input is not valid. Its hooks are called all the
    /// same.
    public static func failedRequest(returning error: RequestError) -> any Request {
        hardWiredRequest(returning: .failure(error))
    }

    /// Returns a request that has ended with a response, without a server. Its hooks are called all the same.
    public static func hardWiredRequest(returning response: Response) -> any Request {
        LiveRequest(FixedResponse(response)).start()
    }
}

/// Completes with a fixed response.
struct FixedResponse: RequestDelegate {
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
