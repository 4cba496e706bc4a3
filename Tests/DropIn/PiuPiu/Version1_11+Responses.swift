import Foundation
import PigeonFutures
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Decoding of one's own, by the names of 1.11.
extension ResponseInterface where Body == Data? {
    fileprivate func decodeNumber() throws -> Int {
        guard let number = Int(try decodeString(encoding: .utf8)) else { throw Trouble() }
        return number
    }
}

// guide: a `ResponseInterface` of your own
private struct OwnResponse: ResponseInterface {
    let data: Data?
    let urlRequest: URLRequest
    let httpResponse: HTTPURLResponse
    var statusCode: StatusCode { StatusCode(rawValue: httpResponse.statusCode) }
}

@Suite("PiuPiu 1.11: responses")
struct Version1_11ResponsesTests {
    let post = reply(#"{"id":1,"userId":7,"title":"Lasers"}"#)

    @Test("Response: both initialisers, properties, and makeHTTPResponse")
    func responses() throws {
        // guide: `Response(data:urlRequest:urlResponse:)` with any `URLResponse`
        let first = Response<Data?>(data: nil, urlRequest: URLRequest(url: example), urlResponse: answer(404))
        let second = Response(response: first, data: "piu")
        #expect(second.data == "piu" && second.urlResponse.url == example && second.urlRequest.url == example)
        let http: HTTPResponse<Data?> = try first.makeHTTPResponse()
        #expect(http.statusCode == .notFound && http.data == nil)
    }

    @Test("HTTPResponse: both initialisers, and properties")
    func httpResponses() throws {
        let first = HTTPResponse(data: 1, urlRequest: URLRequest(url: example), httpResponse: answer(404))
        let second = HTTPResponse<String>(response: first, data: "piu")
        #expect(first.data == 1 && second.data == "piu" && second.statusCode.rawValue == 404)
        #expect(second.httpResponse === second.urlResponse && second.urlRequest.url == example)
        // guide: `HTTPResponse.urlRequest = request`
        let request = URLRequest(url: example, method: .head)
        let moved = HTTPResponse(data: first.data, urlRequest: request, httpResponse: first.httpResponse)
        #expect(moved.urlRequest.httpMethod == "HEAD")
        // guide: `HTTPResponse` is another type than `Response`
        let same: Response<Int> = moved
        #expect(same.data == 1)
        #expect(second.httpError != nil && HTTPResponse<Data?>(response: post, data: nil).httpError == nil)
    }

    @Test("guide: httpError is HTTPError.status, by the type of the status")
    func errors() throws {
        for (number, type) in [(404, StatusCodeType.clientError), (500, .serverError), (600, .invalid)] {
            let error = try #require(try reply(nil, number).makeHTTPResponse().httpError)
            // guide: `HTTPError.clientError`, `.serverError`, `.invalidStatusCode`
            guard case .status(let answer) = error else {
                Issue.record("no status")
                continue
            }
            #expect(answer.statusCode.type == type && answer.statusCode.rawValue == number)
        }
        // guide: `localizedDescription` of an `HTTPError`
        #expect(StatusCode.notFound.localizedDescription.lowercased() == "not found")
        // guide: `StatusCode.httpError`
        #expect(reply(nil, 302).httpError == nil && reply(nil, 101).httpError == nil)
    }

    @Test("Response: decoded, decodedIfPresent, and the names that were deprecated then")
    func decoding() throws {
        #expect(try post.decoded(Post.self).data == Post())
        #expect(try post.decoded(Post.self, using: JSONDecoder()).data == Post())
        #expect(try post.decodedIfPresent(Post.self).data == Post())
        #expect(try reply(nil).decodedIfPresent(Post.self, using: JSONDecoder()).data == nil)
        let http: HTTPResponse<Post> = try post.makeHTTPResponse().decoded(Post.self)
        let absent: HTTPResponse<Post?> = try reply(nil).makeHTTPResponse().decodedIfPresent(Post.self)
        #expect(http.data == Post() && absent.data == nil)
        try (self as any DeprecatedDecoding).useDeprecated()
    }

    @Test("ResponseInterface: decode and decodeIfPresent by a decoder or a strategy for dates")
    func values() throws {
        let dated = reply(#"{"date":0}"#)
        let reference = Dated(date: Date(timeIntervalSinceReferenceDate: 0))
        #expect(try dated.decode(Dated.self, using: JSONDecoder()) == reference)
        #expect(try dated.decodeIfPresent(Dated.self, using: JSONDecoder()) == reference)
        #expect(try dated.decode(Dated.self, dateDecodingStrategy: .secondsSince1970).date.timeIntervalSince1970 == 0)
        // guide: dates were numbers of seconds since 2001
        #expect(throws: SerializationError.self) { try dated.decode(Dated.self) }
        #expect(try post.decode(Post.self) == Post() && post.decodeIfPresent(Post.self) == Post())
        // guide: `decodeIfPresent` gave `nil` without data
        for absent in [reply(nil), reply(""), reply("null"), reply("{}", 204)] {
            #expect(try absent.decodeIfPresent(Post.self) == nil)
        }
        #expect(try post.unwrapData() == post.data && post.decodeString().hasPrefix("{"))
        #expect(try post.decodeString(encoding: .utf8).hasPrefix("{"))
        #expect(try post.decodeJSONObject() is [String: Any])
        #expect(try post.decodeJSONObject(options: []) is [String: Any])
    }

    @Test("ResponseInterface: extensions where Body is data, and a type of one's own")
    func interfaces() throws {
        let own = OwnResponse(data: Data("7".utf8), urlRequest: URLRequest(url: example), httpResponse: answer())
        #expect(try own.decodeNumber() == 7 && reply("8").decodeNumber() == 8)
        let body: OwnResponse.Body = own.data
        #expect(body == own.data && own.urlResponse.url == example)
        own.debug()
        // guide: `makeRequestMarkdown()`, `makeResponseMarkdown()`
        #expect(own.dump().contains("GET"))
    }

    @Test("guide: an error of decoding is the cause of a SerializationError")
    func causes() {
        // guide: `decode` throws a `DecodingError`
        do {
            _ = try reply("{}").decode(Post.self)
        } catch SerializationError.failedToDecodeResponseData(let cause) {
            #expect(cause is DecodingError)
        } catch {
            Issue.record(error)
        }
        // guide: `ResponseError.unexpectedEmptyResponse`, `.failedToDecodeDataToString`
        do {
            _ = try reply(nil).unwrapData()
        } catch SerializationError.unexpectedEmptyResponse {
        } catch {
            Issue.record(error)
        }
    }

    @Test("guide: RequestError has invalidURL as well")
    func requestErrors() {
        let errors: [RequestError] = [.missingURL, .missingServerProvider]
        #expect(errors.map(\.errorKey) == ["MissingURL", "MissingServerProvider"])
        for error in errors {
            switch error {
            case .missingURL, .missingServerProvider: break
            case .invalidURL: Issue.record("it has an address")  // guide: a `switch` over `RequestError`
            }
        }
    }
}

/// Is not deprecated itself, so that what is deprecated can be called without a warning.
private protocol DeprecatedDecoding {
    func useDeprecated() throws
}

extension Version1_11ResponsesTests: DeprecatedDecoding {
    @available(*, deprecated, message: "Tests what is deprecated.")
    fileprivate func useDeprecated() throws {
        #expect(try post.decodedResponse(Post.self).data == Post())
        #expect(try post.decodedResponse(Post.self, using: JSONDecoder()).data == Post())
        #expect(try post.decodedResponseIfPresent(Post.self).data == Post())
        #expect(try reply(nil).decodedResponseIfPresent(Post.self, using: JSONDecoder()).data == nil)
        let http: HTTPResponse<Post> = try post.makeHTTPResponse().decodedResponse(Post.self)
        let present: HTTPResponse<Post?> = try post.makeHTTPResponse().decodedResponseIfPresent(Post.self)
        #expect(http.data == present.data)
        let safe: [SafeResponse<Int>] = [.response(1), .error(Trouble())]
        for response in safe {
            switch response {
            case .response(let value): #expect(value == 1)
            case .error(let error): #expect(error is Trouble)
            }
        }
    }
}
