import DemoHTTP
import NIOHTTP1

/// Says why a request is not carried out: it becomes a response with a JSON body.
struct Refusal: Error {
    var status: HTTPResponseStatus
    var message: String
    var headers: HTTPHeaders = [:]

    static func badRequest(_ message: String) -> Refusal {
        Refusal(status: .badRequest, message: message)
    }

    static func notFound(_ what: String) -> Refusal {
        Refusal(status: .notFound, message: "not found: \(what)")
    }

    static func methodNotAllowed(_ method: HTTPMethod, allowed: [HTTPMethod]) -> Refusal {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return Refusal(
            status: .methodNotAllowed, message: "\(method.rawValue) is not allowed here, but \(names)",
            headers: ["Allow": names])
    }

    static let tooLarge = Refusal(
        status: .payloadTooLarge, message: "a request body may have at most \(Limits.bodyBytes) bytes")

    static func unprocessable(_ message: String) -> Refusal {
        Refusal(status: .unprocessableEntity, message: message)
    }

    /// The client has an older version than the one that it wants to change.
    static func outdated(_ what: String) -> Refusal {
        Refusal(status: .preconditionFailed, message: "\(what) has changed: read it again")
    }

    /// The request was carried out all the same.
    static let lostAnswer = Refusal(status: .gatewayTimeout, message: "the answer got lost on its way")

    static func fault(status: Int, retryAfter: Int?) -> Refusal {
        let headers: HTTPHeaders = retryAfter.map { ["Retry-After": String($0)] } ?? [:]
        return Refusal(status: .init(statusCode: status), message: "this path is set to fail", headers: headers)
    }

    var response: Response {
        let body = ["error": message]
        return (try? .json(body, status: status, headers: headers)) ?? Response(status: status, headers: headers)
    }
}
