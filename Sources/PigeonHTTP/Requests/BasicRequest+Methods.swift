public import Foundation

extension Request where Self == BasicRequest {
    /// Asks for what is at a path.
    public static func get(
        _ path: String, queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) -> BasicRequest {
        BasicRequest(method: .get, path: path, queryItems: queryItems, headers: headers)
    }

    /// Asks for the head of what is at a path.
    public static func head(
        _ path: String, queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) -> BasicRequest {
        BasicRequest(method: .head, path: path, queryItems: queryItems, headers: headers)
    }

    /// Removes what is at a path.
    public static func delete(
        _ path: String, queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) -> BasicRequest {
        BasicRequest(method: .delete, path: path, queryItems: queryItems, headers: headers)
    }

    /// Hands a value in as JSON.
    ///
    /// A value that cannot be written as JSON is the request's ``Request/defect``, thrown in place of sending.
    public static func post(
        _ path: String, json: some Encodable, queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) -> BasicRequest {
        BasicRequest(.post, path, json: json, queryItems: queryItems, headers: headers)
    }

    /// Replaces what is at a path by a value, as JSON.
    ///
    /// A value that cannot be written as JSON is the request's ``Request/defect``, thrown in place of sending.
    public static func put(
        _ path: String, json: some Encodable, queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) -> BasicRequest {
        BasicRequest(.put, path, json: json, queryItems: queryItems, headers: headers)
    }

    /// Changes what is at a path by a value, as JSON.
    ///
    /// A value that cannot be written as JSON is the request's ``Request/defect``, thrown in place of sending.
    public static func patch(
        _ path: String, json: some Encodable, queryItems: [URLQueryItem] = [], headers: [String: String] = [:]
    ) -> BasicRequest {
        BasicRequest(.patch, path, json: json, queryItems: queryItems, headers: headers)
    }
}

extension BasicRequest {
    fileprivate init(
        _ method: HTTPMethod, _ path: String, json: some Encodable, queryItems: [URLQueryItem],
        headers: [String: String]
    ) {
        self.init(method: method, path: path, queryItems: queryItems, headers: headers)
        do { try setJSONBody(json) } catch { defect = error }
    }
}
