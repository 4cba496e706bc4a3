import Foundation
import NIOHTTP1

/// One whole HTTP response, before the connection adds what framing needs.
struct Response {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders = [:]
    var body = Data()

    /// Encodes a value as the body.
    static func json(
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
    func validated(for request: Request) -> Response {
        guard status == .ok, request.method == .GET || request.method == .HEAD else { return self }
        let tag = EntityTag(body: body, count: headers.first(name: "X-Total-Count"))
        var response = self
        response.headers.add(name: "ETag", value: tag.text)
        response.headers.add(name: "Cache-Control", value: "no-cache")
        guard tag.isNamed(in: request.headers) else { return response }
        response.status = .notModified
        response.headers.remove(name: "Content-Type")
        response.body = Data()
        return response
    }
}
