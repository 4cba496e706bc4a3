public import Foundation

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
