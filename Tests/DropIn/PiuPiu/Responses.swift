import Foundation
import PigeonFutures
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An answer of one's own, by the protocol's requirements alone.
private struct OwnResponse: ResponseInterface {
    let data: Data?
    let httpResponse: HTTPURLResponse
    let urlRequest: URLRequest
    let statusCode: StatusCode
}

/// Custom decoding, as the README has it.
extension ResponseInterface where T == Data? {
    fileprivate func decodeMappable(_ type: Int.Type) throws -> Int {
        guard let number = Int(try self.decodeString()) else {
            throw SerializationError.failedToDecodeResponseData(cause: nil)
        }
        return number
    }
}

@Suite("PiuPiu 1.3.1: responses")
struct ResponsesTests {
    let head = answer(404)
    let request = URLRequest(url: example)

    @Test("Response: initialiser and properties")
    func responses() {
        let response = Response(
            data: 1, httpResponse: head, urlRequest: request, statusCode: .notFound,
            error: ResponseError.notFound(cause: nil))
        #expect(response.data == 1 && response.httpResponse.statusCode == 404 && response.statusCode == .notFound)
        #expect(response.urlRequest == request && response.error != nil)
        let fine = Response<Data?>(data: nil, httpResponse: answer(), urlRequest: request, statusCode: .ok, error: nil)
        #expect(fine.error == nil && fine.data == nil)
    }

    @Test("SuccessResponse: both initialisers, and properties")
    func successes() {
        let first = SuccessResponse(data: "piu", httpResponse: answer(), urlRequest: request, statusCode: .ok)
        let second = SuccessResponse<[Post]>(data: [Post()], response: first)
        #expect(first.data == "piu" && second.data == [Post()] && second.statusCode == .ok)
        #expect(second.httpResponse.statusCode == 200 && second.urlRequest == request)
    }

    @Test("ErrorResponse: the three initialisers, and properties")
    func errors() {
        let first = ErrorResponse(
            data: "piu", httpResponse: head, urlRequest: request, statusCode: .notFound, error: .notFound(cause: nil))
        let second = ErrorResponse(data: 2, response: reply("", 400), error: .badRequest(cause: Trouble()))
        let third = ErrorResponse(data: Post(), response: first)
        #expect(first.data == "piu" && first.error.errorKey == "NotFound" && first.statusCode == .notFound)
        #expect(second.data == 2 && second.error.errorKey == "BadRequest" && second.statusCode == .badRequest)
        #expect(third.data == Post() && third.error.errorKey == "NotFound")
        #expect(third.httpResponse.statusCode == 404 && third.urlRequest == request)
    }

    @Test("ResponseInterface: a type of one's own, extensions, and generic functions")
    func interfaces() throws {
        let own = OwnResponse(data: Data("7".utf8), httpResponse: answer(), urlRequest: request, statusCode: .ok)
        #expect(try own.decodeMappable(Int.self) == 7)
        #expect(try SuccessResponse<Data?>(data: own.data, response: own).decodeMappable(Int.self) == 7)
        #expect(describe(own) == "200" && describe(reply("")) == "200")
        #expect(throws: SerializationError.self) { try reply("piu").decodeMappable(Int.self) }
    }

    private func describe<R: ResponseInterface>(_ response: R) -> String where R.T == Data? {
        return "\(response.httpResponse.statusCode)"
    }

    @Test("guide: debug, printRequest and printResponse print no credentials (P17)")
    func printing() {
        var request = URLRequest(url: URL(string: "https://example.com/posts?token=secret")!)
        request.addValue("Bearer secret", forHTTPHeaderField: "Authorization")
        let response = Response<Data?>(
            data: nil, httpResponse: answer(), urlRequest: request, statusCode: .ok, error: nil)
        response.debug()
        response.printRequest()
        response.printResponse()
        // guide: `ResponseInterface.debug()`, `printRequest()`, `printResponse()`
        // guide: P17
        #expect(!response.dump().contains("secret") && response.dump().contains("GET"))
    }
}
