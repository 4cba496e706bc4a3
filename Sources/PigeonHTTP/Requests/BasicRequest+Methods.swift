public import Foundation

extension Request where Self == BasicRequest {
    /// Creates a GET request. A path in a literal can have a query: see ``RequestTarget``.
    public static func get(
        _ target: RequestTarget, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [],
        headers: [String: String] = [:]
    ) -> BasicRequest {
        BasicRequest(method: .get, path: target, query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a GET request for a path in a variable, as plain text.
    @_disfavoredOverload  // a literal is a RequestTarget
    public static func get(
        _ path: String, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) -> BasicRequest {
        get(RequestTarget(path: path), query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a HEAD request. A path in a literal can have a query: see ``RequestTarget``.
    public static func head(
        _ target: RequestTarget, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [],
        headers: [String: String] = [:]
    ) -> BasicRequest {
        BasicRequest(method: .head, path: target, query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a HEAD request for a path in a variable, as plain text.
    @_disfavoredOverload  // a literal is a RequestTarget
    public static func head(
        _ path: String, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) -> BasicRequest {
        head(RequestTarget(path: path), query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a DELETE request. A path in a literal can have a query: see ``RequestTarget``.
    public static func delete(
        _ target: RequestTarget, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [],
        headers: [String: String] = [:]
    ) -> BasicRequest {
        BasicRequest(method: .delete, path: target, query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a DELETE request for a path in a variable, as plain text.
    @_disfavoredOverload  // a literal is a RequestTarget
    public static func delete(
        _ path: String, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) -> BasicRequest {
        delete(RequestTarget(path: path), query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a POST request without a body. A path in a literal can have a query: see ``RequestTarget``.
    public static func post(
        _ target: RequestTarget, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [],
        headers: [String: String] = [:]
    ) -> BasicRequest {
        BasicRequest(method: .post, path: target, query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a POST request without a body, for a path in a variable, as plain text.
    @_disfavoredOverload  // a literal is a RequestTarget
    public static func post(
        _ path: String, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) -> BasicRequest {
        post(RequestTarget(path: path), query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a POST request with a value as JSON. A path in a literal can have a query: see ``RequestTarget``.
    ///
    /// A value that cannot be encoded becomes the request's ``Request/defect``, which is thrown instead of sending.
    public static func post(
        _ target: RequestTarget, json: some Encodable, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [],
        headers: [String: String] = [:]
    ) -> BasicRequest {
        BasicRequest(.post, target, json: json, query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a POST request with a value as JSON, for a path in a variable, as plain text.
    @_disfavoredOverload  // a literal is a RequestTarget
    public static func post(
        _ path: String, json: some Encodable, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [],
        headers: [String: String] = [:]
    ) -> BasicRequest {
        post(RequestTarget(path: path), json: json, query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a PUT request without a body. A path in a literal can have a query: see ``RequestTarget``.
    public static func put(
        _ target: RequestTarget, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [],
        headers: [String: String] = [:]
    ) -> BasicRequest {
        BasicRequest(method: .put, path: target, query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a PUT request without a body, for a path in a variable, as plain text.
    @_disfavoredOverload  // a literal is a RequestTarget
    public static func put(
        _ path: String, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) -> BasicRequest {
        put(RequestTarget(path: path), query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a PUT request with a value as JSON. A path in a literal can have a query: see ``RequestTarget``.
    ///
    /// A value that cannot be encoded becomes the request's ``Request/defect``, which is thrown instead of sending.
    public static func put(
        _ target: RequestTarget, json: some Encodable, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [],
        headers: [String: String] = [:]
    ) -> BasicRequest {
        BasicRequest(.put, target, json: json, query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a PUT request with a value as JSON, for a path in a variable, as plain text.
    @_disfavoredOverload  // a literal is a RequestTarget
    public static func put(
        _ path: String, json: some Encodable, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [],
        headers: [String: String] = [:]
    ) -> BasicRequest {
        put(RequestTarget(path: path), json: json, query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a PATCH request with a value as JSON. A path in a literal can have a query: see ``RequestTarget``.
    ///
    /// A value that cannot be encoded becomes the request's ``Request/defect``, which is thrown instead of sending.
    public static func patch(
        _ target: RequestTarget, json: some Encodable, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [],
        headers: [String: String] = [:]
    ) -> BasicRequest {
        BasicRequest(.patch, target, json: json, query: query, queryItems: queryItems, headers: headers)
    }

    /// Creates a PATCH request with a value as JSON, for a path in a variable, as plain text.
    @_disfavoredOverload  // a literal is a RequestTarget
    public static func patch(
        _ path: String, json: some Encodable, query: URLQueryValues = [:], queryItems: [URLQueryItem] = [],
        headers: [String: String] = [:]
    ) -> BasicRequest {
        patch(RequestTarget(path: path), json: json, query: query, queryItems: queryItems, headers: headers)
    }
}

extension BasicRequest {
    fileprivate init(
        _ method: HTTPMethod, _ target: RequestTarget, json: some Encodable, query: URLQueryValues,
        queryItems: [URLQueryItem], headers: [String: String]
    ) {
        self.init(method: method, path: target, query: query, queryItems: queryItems, headers: headers)
        do { try setJSONBody(json) } catch { defect = error }
    }
}
