import DemoHTTP
import NIOHTTP1

/// Says why a request is not carried out, in the form of GitHub's errors.
struct Refusal: Error {
    var status: HTTPResponseStatus
    var message: String
    var errors: [JSON] = []
    var headers: HTTPHeaders = [:]

    static let notFound = Refusal(status: .notFound, message: "Not Found")
    static let badCredentials = Refusal(status: .unauthorized, message: "Bad credentials")
    static let requiresAuthentication = Refusal(status: .unauthorized, message: "Requires authentication")
    static let brokenJSON = Refusal(status: .badRequest, message: "Problems parsing JSON")
    static let noObject = Refusal(status: .badRequest, message: "Body should be a JSON object")
    static let tooLarge = Refusal(status: .payloadTooLarge, message: "Payload too large")
    static let beyondLastResult = Refusal(
        status: .unprocessableEntity, message: "Only the first 1000 search results are available")
    static let rateLimitExceeded = Refusal(
        status: .forbidden,
        message: "API rate limit exceeded for 127.0.0.1. (But here's the good news: who signs in may ask more often. "
            + "The documentation says how often.)")

    static func invalid(_ field: String, of resource: String, code: String = "invalid") -> Refusal {
        let error: JSON = ["resource": .string(resource), "field": .string(field), "code": .string(code)]
        return Refusal(status: .unprocessableEntity, message: "Validation Failed", errors: [error])
    }

    static func methodNotAllowed(_ allowed: [HTTPMethod]) -> Refusal {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return Refusal(status: .methodNotAllowed, message: "Method Not Allowed", headers: ["Allow": names])
    }

    static func fault(status: Int, retryAfter: Int?) -> Refusal {
        let message = status == 503 ? "Service unavailable, try again later" : "Server Error"
        let headers: HTTPHeaders = retryAfter.map { ["Retry-After": String($0)] } ?? [:]
        return Refusal(status: .init(statusCode: status), message: message, headers: headers)
    }

    var response: Response {
        var body: [String: JSON] = [
            "message": .string(message), "documentation_url": "https://docs.example.org/rest",
            "status": .string(String(status.code)),
        ]
        if !errors.isEmpty { body["errors"] = .array(errors) }
        return (try? .json(JSON.object(body), status: status, headers: headers))
            ?? Response(status: status, headers: headers)
    }
}
