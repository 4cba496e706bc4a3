import Foundation
import PigeonFutures
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("PiuPiu 1.3.1: decoding")
struct DecodingTests {
    @Test("unwrapData, and its error when there is nothing")
    func data() throws {
        #expect(try reply("piu").unwrapData() == Data("piu".utf8))
        #expect(isEmpty { try reply(nil).unwrapData() })
        // guide: P18
        #expect(isEmpty { try reply("").unwrapData() })
    }

    @Test("decodeString with the encoding left out and given")
    func strings() throws {
        #expect(try reply("piu").decodeString() == "piu")
        #expect(try reply("piu").decodeString(encoding: .utf8) == "piu")
        let latin = Response<Data?>(
            data: Data([0xE9]), urlRequest: URLRequest(url: example),
            httpResponse: answer(headers: ["Content-Type": "text/plain; charset=iso-8859-1"]))
        #expect(try latin.decodeString(encoding: .isoLatin1) == "é")
        // guide: `decodeString()` without an encoding
        #expect(try latin.decodeString() == "é")
        #expect(cause { try latin.decodeString(encoding: .utf8) } == "nil")
        // guide: P18
        #expect(isEmpty { try reply("").decodeString() })
    }

    @Test("decodeJSONObject with options left out and given")
    func objects() throws {
        let object = try reply(#"{"id":1}"#).decodeJSONObject() as? [String: Any]
        #expect(object?["id"] as? Int == 1)
        let number = try reply("7").decodeJSONObject(options: .fragmentsAllowed) as? Int
        #expect(number == 7)
        #expect(cause { try reply("piu").decodeJSONObject() } != nil)
    }

    @Test("decode with the strategy for dates left out and given")
    func decodables() throws {
        #expect(try reply(#"{"id":1,"userId":7,"title":"Lasers"}"#).decode(Post.self) == Post())
        let start = Dated(date: Date(timeIntervalSince1970: 0))
        #expect(try reply(#"{"date":"1970-01-01T00:00:00Z"}"#).decode(Dated.self) == start)
        #expect(try reply(#"{"date":0}"#).decode(Dated.self, dateDecodingStrategy: .secondsSince1970) == start)
        #expect(cause { try reply("{}").decode(Post.self) } == "DecodingError")
        #expect(isEmpty { try reply("").decode(Post.self) })
    }

    @Test("decoding works on SuccessResponse and ErrorResponse too")
    func kinds() throws {
        let one = reply("7", 404)
        #expect(try SuccessResponse(data: one.data, response: one).decode(Int.self) == 7)
        #expect(try ErrorResponse(data: one.data, response: one, error: .notFound(cause: nil)).decode(Int.self) == 7)
    }

    @Test("the strategies and the formatter for dates")
    func dates() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .rfc3339
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .rfc3339
        let dated = Dated(date: Date(timeIntervalSince1970: 1_600_000_000))
        #expect(try decoder.decode(Dated.self, from: try encoder.encode(dated)) == dated)
        #expect(DateFormatter.rfc3339.string(from: dated.date) == "2020-09-13T12:26:40Z")
        #expect(DateFormatter.rfc3339.date(from: "2020-09-13T14:26:40+02:00") == dated.date)
    }

    @Test("guide: decodeIfPresent gives nil for an empty body (P18)")
    func absent() throws {
        #expect(try reply("").decodeIfPresent(Post.self) == nil)
    }

    private func isEmpty(_ work: () throws -> Any) -> Bool {
        do {
            _ = try work()
        } catch SerializationError.unexpectedEmptyResponse {
            return true
        } catch {}
        return false
    }

    /// The type of the cause of a `failedToDecodeResponseData`.
    private func cause(_ work: () throws -> Any) -> String? {
        do {
            _ = try work()
        } catch SerializationError.failedToDecodeResponseData(let cause) {
            return cause.map { "\(type(of: $0))" } ?? "nil"
        } catch {}
        return nil
    }
}
