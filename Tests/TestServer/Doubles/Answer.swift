package import Foundation
package import PigeonHTTP

/// Creates a response without a server.
package func Answer(
    _ status: StatusCode = .ok, headers: HTTPHeaders = [:], body: String,
    request: TransportRequest? = nil
) -> Response<Data?> {
    Answer(status, headers: headers, body: Data(body.utf8), request: request)
}

/// Creates a response without a server.
package func Answer(
    _ status: StatusCode = .ok, headers: HTTPHeaders = [:], body: Data? = nil, request: TransportRequest? = nil
) -> Response<Data?> {
    let request = request ?? TransportRequest(method: .get, url: URL(fileURLWithPath: "/"))
    return Response(
        data: body, head: .transported(request, status: status.rawValue, headers: headers), statusCode: status,
        error: status.makeError(cause: nil))
}
