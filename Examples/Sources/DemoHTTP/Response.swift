package import Foundation
package import NIOHTTP1

/// One whole HTTP response, before the connection adds what framing needs.
package struct Response: Sendable {
    package var status: HTTPResponseStatus
    package var headers: HTTPHeaders = [:]
    package var body: Data

    package init(status: HTTPResponseStatus, headers: HTTPHeaders = [:], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Encodes a value as the body.
    package static func json(
        _ value: some Encodable, status: HTTPResponseStatus = .ok, headers: HTTPHeaders = [:]
    ) throws -> Response {
        let encoder = JSONEncoder()
        // Sorted, so that equal records are equal bytes: the entity tag is made from them.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var response = Response(status: status, headers: headers, body: try encoder.encode(value))
        response.headers.add(name: "Content-Type", value: "application/json; charset=utf-8")
        return response
    }

    /// Returns this response with an entity tag, or the empty 304 that a client with the same tag gets
    /// (RFC 9110, 13.1.2).
    ///
    /// - Parameters:
    ///   - about: The header that changes the tag beside the body.
    ///   - cacheControl: What `Cache-Control` says; `nil` for no such header.
    package func validated(
        for request: Request, about: String, isWeak: Bool = false, cacheControl: String?
    ) -> Response {
        guard status == .ok, request.method == .GET || request.method == .HEAD else { return self }
        let tag = EntityTag(body: body, about: headers.first(name: about), isWeak: isWeak)
        var response = self
        response.headers.add(name: "ETag", value: tag.text)
        if let cacheControl { response.headers.add(name: "Cache-Control", value: cacheControl) }
        guard tag.isNamed(in: request.headers) else { return response }
        response.status = .notModified
        response.headers.remove(name: "Content-Type")
        response.body = Data()
        return response
    }
}
