public import Foundation
public import PigeonHTTP

// The names of PiuPiu 1.4 to 1.11 for functions of a future that have other names here.

extension ResponseFuture {
    /// The type of the value.
    public typealias Success = T

    /// Returns a future that transforms the value, as ``then(_:)`` does, with the type of the result named.
    public func then<U>(
        _ type: U.Type, @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        then(callback)
    }

    /// Returns a future that transforms the value by a closure on a queue, with the type of the result named or not. An
    /// error thrown by the closure is its error.
    ///
    /// The closure belongs to no actor. For a closure that updates a user interface, leave the queue out: it then runs
    /// where it was written.
    public func then<U>(
        _ type: U.Type = U.self, on queue: DispatchQueue, _ callback: @escaping @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        core.stage(of: self) { outcome, stage in
            await stage.settle {
                let value = try outcome.get()
                return try await withCheckedThrowingContinuation { continuation in
                    queue.async {
                        continuation.resume(
                            with: Result {
                                guard stage.machine.isOpen else { throw CancellationError() }
                                return try callback(value)
                            })
                    }
                }
            }
        }
    }

    /// Returns a future that transforms the value by a closure on a queue, as ``then(_:on:_:)`` does.
    public func map<U>(
        _ type: U.Type, on queue: DispatchQueue, successCallback: @escaping @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        then(on: queue, successCallback)
    }

    /// Returns a future that transforms the value, as ``map(_:callback:)`` does, under the label of 1.11.
    @_disfavoredOverload
    public func map<U>(
        _ type: U.Type, @_inheritActorContext successCallback: @escaping @isolated(any) @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        then(successCallback)
    }

    /// Returns a future that continues with another one, as ``replace(_:)`` does, with its type named. `nil` cancels
    /// it.
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

    /// Starts another future, and ends this future as that one ends.
    @available(*, deprecated, renamed: "fulfill(with:)")
    public func fulfill(by future: ResponseFuture<T>) {
        fulfill(with: future)
    }

    /// Creates a future with the values of other futures, which run at the same time, as
    /// `ResponseFuture(childFutures:)` does.
    public convenience init<Child>(arrayLiteral futures: ResponseFuture<Child>...) where T == [Child] {
        self.init(childFutures: futures)
    }
}

extension ResponseFuture where T == Response<Data?> {
    /// Returns this future: every response here is one of HTTP.
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
    /// Returns a future that does not fail. The old name of ``safeResult()``.
    @available(*, deprecated, renamed: "safeResult()")
    public func nonFailing() -> ResponseFuture<SafeResponse<T>> {
        thenResult { SafeResponse($0) }
    }

    /// Returns a future that transforms the value or the error. The old name of ``thenResult(_:callback:)``.
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
    /// Returns a future that decodes the response's body as JSON. A status of 400 or more is its error.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: Decodes the body. The default reads dates as in RFC 3339.
    public func decoded<D: Decodable & Sendable>(
        _ type: D.Type, using decoder: JSONDecoder? = nil
    ) -> ResponseFuture<Response<D>> {
        then { response in
            if let error = response.error { throw error }
            return try response.decoded(type, using: decoder)
        }
    }

    /// Returns a future with the response's text. A status of 400 or more is its error.
    ///
    /// - Parameter encoding: The encoding of the text. The default is the one in `Content-Type`, or UTF-8.
    public func decodedString(encoding: String.Encoding? = nil) -> ResponseFuture<Response<String>> {
        then { response in
            if let error = response.error { throw error }
            return response.withData(try response.decodeString(encoding: encoding))
        }
    }

    /// Returns a future that decodes the response's body whatever its status, with the value or the decoding error as
    /// its data.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: Decodes the body. The default reads dates as in RFC 3339.
    public func safeDecoded<D: Decodable & Sendable>(
        _ type: D.Type, using decoder: JSONDecoder? = nil
    ) -> ResponseFuture<Response<Result<D, any Error>>> {
        then { response in response.withData(Result { try response.decode(type, decoder: decoder) }) }
    }
}
