public import Foundation

// The names that PiuPiu 1.4 to 1.11 has for what a future does here under other names.

extension ResponseFuture {
    /// The type of the value.
    public typealias Success = T

    /// A future with what the value is turned into, as ``then(_:)``, with its type named.
    public func then<U>(
        _ type: U.Type, @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        then(callback)
    }

    /// A future with what a closure on a queue turns the value into. What the closure throws is its error.
    ///
    /// The closure belongs to no actor. For one that updates an interface, leave the queue out: it runs where it was
    /// written.
    public func then<U>(
        on queue: DispatchQueue, _ callback: @escaping @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        core.stage(of: self) { value, stage in
            let result = try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(
                        with: Result {
                            guard stage.machine.isOpen else { throw CancellationError() }
                            return try callback(value)
                        })
                }
            }
            await stage.settle(.success(result))
        }
    }

    /// A future with what a closure on a queue turns the value into, as ``then(on:_:)``, with its type named.
    public func then<U>(
        _ type: U.Type, on queue: DispatchQueue, _ callback: @escaping @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        then(on: queue, callback)
    }

    /// A future with what a closure on a queue turns the value into, as ``then(on:_:)``, with its type named.
    public func map<U>(
        _ type: U.Type, on queue: DispatchQueue, successCallback: @escaping @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        then(on: queue, successCallback)
    }

    /// A future with what the value is turned into, as ``map(_:callback:)``, under the label of 1.11.
    @_disfavoredOverload
    public func map<U>(
        _ type: U.Type, @_inheritActorContext successCallback: @escaping @isolated(any) @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        then(successCallback)
    }

    /// A future that goes on with another one, as ``replace(_:)``, with its type named. `nil` cancels it.
    public func replace<U>(
        _ type: U.Type, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<U> {
        replace(callback)
    }

    /// Ends the future with a value or an error, unless it has ended.
    public func complete(with result: Result<T, any Error>) {
        switch result {
        case .success(let value): succeed(with: value)
        case .failure(let error): fail(with: error)
        }
    }

    /// Starts another future and ends this one as that one ends.
    @available(*, deprecated, renamed: "fulfill(with:)")
    public func fulfill(by future: ResponseFuture<T>) {
        fulfill(with: future)
    }

    /// Creates a future with the values of others, which run side by side. The closure makes them at once.
    @_disfavoredOverload
    public convenience init<Child>(childFuturesCallback: () -> [ResponseFuture<Child>]) where T == [Child] {
        self.init(childFutures: childFuturesCallback())
    }

    /// Creates a future with the values of others, which run side by side: `ResponseFuture(childFutures:)`.
    public convenience init<Child>(arrayLiteral futures: ResponseFuture<Child>...) where T == [Child] {
        self.init(childFutures: futures)
    }
}

extension ResponseFuture where T == Response<Data?> {
    /// This future: an answer here is always one of HTTP.
    public func makeHTTPResponse() -> ResponseFuture<HTTPResponse<Data?>> { self }
}

/// A value or an error.
@available(*, deprecated, message: "Use Result.")
public enum SafeResponse<T> {
    /// The value.
    case response(T)
    /// The error.
    case error(any Error)
}

@available(*, deprecated)
extension SafeResponse: Sendable where T: Sendable {}

extension ResponseFuture {
    /// A future that fails with nothing: ``safeResult()``.
    @available(*, deprecated, renamed: "safeResult()")
    public func nonFailing() -> ResponseFuture<SafeResponse<T>> {
        thenResult { SafeResponse($0) }
    }

    /// A future with what the value or the error is turned into: ``thenResult(_:callback:)``.
    @available(*, deprecated, renamed: "thenResult(_:callback:)")
    public func thenError<U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (SafeResponse<T>) throws -> U
    ) -> ResponseFuture<U> {
        nonFailing().then(callback)
    }
}

@available(*, deprecated)
extension SafeResponse {
    fileprivate init(_ result: Result<T, any Error>) {
        switch result {
        case .success(let value): self = .response(value)
        case .failure(let error): self = .error(error)
        }
    }
}

extension ResponseFuture where T == Response<Data?> {
    /// A future with the answer's value, which its body, JSON, stands for. A status of 400 or more is its error.
    ///
    /// - Parameters:
    ///   - type: What to decode.
    ///   - decoder: How to decode. By default dates are read as RFC 3339 has them.
    public func decoded<D: Decodable & Sendable>(
        _ type: D.Type, using decoder: JSONDecoder? = nil
    ) -> ResponseFuture<Response<D>> {
        then { response in
            if let error = response.error { throw error }
            return response.with(try response.decode(type, decoder: decoder ?? .rfc3339))
        }
    }

    /// A future with the answer's text. A status of 400 or more is its error.
    ///
    /// - Parameter encoding: By default what `Content-Type` says, or else UTF-8.
    public func decodedString(encoding: String.Encoding? = nil) -> ResponseFuture<Response<String>> {
        then { response in
            if let error = response.error { throw error }
            return response.with(try response.decodeString(encoding: encoding))
        }
    }

    /// A future with the answer's value, whatever its status, or why its body was not understood.
    ///
    /// - Parameters:
    ///   - type: What to decode.
    ///   - decoder: How to decode. By default dates are read as RFC 3339 has them.
    public func safeDecoded<D: Decodable & Sendable>(
        _ type: D.Type, using decoder: JSONDecoder? = nil
    ) -> ResponseFuture<Response<Result<D, any Error>>> {
        then { response in response.with(Result { try response.decode(type, decoder: decoder ?? .rfc3339) }) }
    }
}

extension Response {
    /// The same answer with something else as its data.
    fileprivate func with<U>(_ data: U) -> Response<U> {
        Response<U>(data: data, head: head, statusCode: statusCode, error: error)
    }
}
