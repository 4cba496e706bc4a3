import Foundation
import PigeonFutures
import Testing

// The texts of an app, as the README says to add them.

extension ResponseError: LocalizedError, CustomNSError {
    /// The app's text.
    public var errorDescription: String? { "ResponseError." + errorKey }
    /// The app's reason.
    public var failureReason: String? { "reason" }
    /// The app's suggestion.
    public var recoverySuggestion: String? { "suggestion" }
    /// The app's domain.
    public static var errorDomain: String { "app.response" }
    /// The app's number.
    public var errorCode: Int { 7 }
    /// The app's text, where `NSError` looks for it.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: "ResponseError." + errorKey] }
}

extension RequestError: LocalizedError {
    /// The app's text.
    public var errorDescription: String? { "RequestError." + errorKey }
}

extension SerializationError: LocalizedError {
    /// The app's text.
    public var errorDescription: String? { "SerializationError." + errorKey }
}

@Suite("PiuPiu 1.3.1: errors")
struct ErrorsTests {
    @Test("RequestError: every case, its key, and an exhaustive switch (U12)")
    func requests() {
        let errors: [RequestError] = [.invalidURL(cause: Trouble()), .missingServerProvider, .missingURL]
        #expect(errors.map(\.errorKey) == ["InvalidURL", "MissingServerProvider", "MissingURL"])
        for error in errors {
            switch error {
            case .invalidURL(let cause): #expect(cause is Trouble)
            case .missingServerProvider: break
            case .missingURL: break
            }
        }
    }

    @Test("ResponseError: every case, its key, and an exhaustive switch")
    func responses() {
        let errors: [ResponseError] = [
            .badRequest(cause: nil), .unauthorized(cause: nil), .forbidden(cause: nil), .notFound(cause: nil),
            .conflict(cause: nil), .unprocessableEntity(cause: nil), .internalServerError(cause: nil),
            .serviceUnavailable(cause: nil), .otherClientError(cause: nil), .otherServerError(cause: nil),
            .unknown(cause: Trouble()),
        ]
        let keys = [
            "BadRequest", "Unauthorized", "Forbidden", "NotFound", "Conflict", "UnprocessableEntity",
            "InternalServerError", "ServiceUnavailable", "OtherClientError",
            "OtherServerError",  // guide: P11
            "Unknown",
        ]
        #expect(errors.map(\.errorKey) == keys)
        for error in errors {
            switch error {
            case .badRequest(let cause), .unauthorized(let cause), .forbidden(let cause), .notFound(let cause),
                .conflict(let cause), .unprocessableEntity(let cause), .internalServerError(let cause),
                .serviceUnavailable(let cause), .otherClientError(let cause), .otherServerError(let cause):
                #expect(cause == nil)
            case .unknown(let cause):
                #expect(cause is Trouble)
            }
        }
    }

    @Test("SerializationError: every case, its key, and an exhaustive switch (U12)")
    func serializations() {
        let errors: [SerializationError] = [.failedToDecodeResponseData(cause: nil), .unexpectedEmptyResponse]
        #expect(errors.map(\.errorKey) == ["InvalidObject", "EmptyResponse"])
        for error in errors {
            switch error {
            case .failedToDecodeResponseData(let cause): #expect(cause == nil)
            case .unexpectedEmptyResponse: break
            }
        }
    }

    @Test("the app's own texts, by LocalizedError and CustomNSError")
    func localized() {
        // guide: your own texts, by conforming
        let errors: [Error] = [
            ResponseError.notFound(cause: nil), RequestError.missingURL, SerializationError.unexpectedEmptyResponse,
        ]
        let texts = ["ResponseError.NotFound", "RequestError.MissingURL", "SerializationError.EmptyResponse"]
        #expect(errors.map(\.localizedDescription) == texts)
        let error = ResponseError.notFound(cause: nil) as NSError
        #expect(error.domain == "app.response" && error.code == 7)
        #expect(ResponseError.notFound(cause: nil).recoverySuggestion == "suggestion")
    }

    @Test("guide: each error is itself; only an address that is none is invalidURL (P9, P10)")
    func themselves() {
        let server = Server()
        // guide: the cause of `RequestError.invalidURL`
        #expect(throws: RequestDefect.self) {
            try server.urlRequest(from: BasicRequest(method: .get, path: "/", headers: ["a b": "c"]))
        }
        // guide: P10
        let lost: Error = URLError(.networkConnectionLost)
        #expect((lost as? URLError)?.code == .networkConnectionLost)
    }
}
