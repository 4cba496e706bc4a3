import Foundation
import PigeonHTTP
import TestServer
import TestSupport
import Testing

@Suite("Reading an answer's body")
struct DecodingTests {
    @Test("nothing and no bytes are both an empty answer", .rule("PiuPiu P18"), arguments: [nil, Data()])
    func empty(body: Data?) throws {
        let answer = Answer(.noContent, body: body)
        for read in [
            { _ = try answer.unwrapData() }, { _ = try answer.decodeString() }, { _ = try answer.decodeJSONObject() },
            { _ = try answer.decode(Int.self) },
        ] {
            #expect(throws: SerializationError.self) { try read() }
            do { try read() } catch {
                guard case .unexpectedEmptyResponse = error as? SerializationError else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
        #expect(try answer.decodeIfPresent(Int.self) == nil)
    }

    @Test("What may be missing is nil for 204, no bytes and null, and else is read")
    func ifPresent() throws {
        #expect(try Answer(.noContent, body: "7").decodeIfPresent(Int.self) == nil)
        #expect(try Answer(body: "null").decodeIfPresent(Int.self) == nil)
        #expect(try Answer(body: "7").decodeIfPresent(Int.self) == 7)
        #expect(throws: SerializationError.self) { try Answer(body: "\"a\"").decodeIfPresent(Int.self) }
    }

    @Test("Dates are read as RFC 3339 has them, with offsets and fractions")
    func dates() throws {
        let body = #"["2023-11-14T22:13:20Z", "2023-11-14T23:13:20.5+01:00"]"#
        #expect(
            try Answer(body: body).decode([Date].self)
                == [Date(timeIntervalSince1970: 1_700_000_000), Date(timeIntervalSince1970: 1_700_000_000.5)])
        #expect(throws: SerializationError.self) { try Answer(body: #"["yesterday"]"#).decode([Date].self) }
    }

    @Test("A strategy or a decoder of one's own is used")
    func ownDecoder() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let answer = Answer(body: #"{"first_name": "Kevin"}"#)
        #expect(try answer.decode(Person.self, decoder: decoder).firstName == "Kevin")
        #expect(try answer.decodeIfPresent(Person.self, decoder: decoder)?.firstName == "Kevin")
        #expect(throws: SerializationError.self) { try answer.decode(Person.self) }
        #expect(
            try Answer(body: "[0]").decode([Date].self, dateDecodingStrategy: .secondsSince1970)
                == [Date(timeIntervalSince1970: 0)])
    }

    @Test("A body that is something else is an error that names the place and not the value")
    func wrongType() throws {
        let answer = Answer(body: #"[{"age": 1}, {"age": "secret"}]"#)
        #expect {
            try answer.decode([[String: Int]].self)
        } throws: {
            guard case .failedToDecodeResponseData(let cause) = $0 as? SerializationError else { return false }
            return cause is DecodingError && "\($0)".contains("no Int at [1].age") && !"\($0)".contains("secret")
        }
        #expect {
            try answer.decode([Person].self)
        } throws: {
            "\($0)".contains("no \"firstName\" at [0]")
        }
        #expect {
            try Answer(body: "<html>secret").decode(Person.self)
        } throws: {
            "\($0)" == "the answer's body is not what was asked for: it cannot be read"
        }
    }

    @Test("JSON objects are read as Foundation does")
    func jsonObject() throws {
        let object = try Answer(body: #"{"a": [1, null]}"#).decodeJSONObject() as? [String: Any]
        #expect((object?["a"] as? [Any])?.count == 2)
        #expect(throws: SerializationError.self) { try Answer(body: "{").decodeJSONObject() }
        #expect(try Answer(body: "7").decodeJSONObject(options: .fragmentsAllowed) as? Int == 7)
    }

    @Test(
        "A text is read in the character set that its content type names, and in UTF-8 without one",
        arguments: [
            (nil, Data("ü".utf8)), ("text/plain", Data("ü".utf8)), ("text/plain; charset=utf-8", Data("ü".utf8)),
            ("text/plain;charset=\"UTF-8\"", Data("ü".utf8)), ("text/plain; charset=ISO-8859-1", Data([0xFC])),
            ("text/plain; a=b; Charset = latin1", Data([0xFC])), ("text/plain; charset=windows-1252", Data([0xFC])),
            ("text/plain; charset=utf-16be", Data([0, 0xFC])), ("text/plain; charset=utf-16le", Data([0xFC, 0])),
            ("text/plain; charset=", Data("ü".utf8)),
        ])
    func charsets(type: String?, body: Data) throws {
        var headers = HTTPHeaders()
        headers["content-type"] = type
        #expect(try Answer(headers: headers, body: body).decodeString() == "ü")
    }

    @Test("An encoding that is given wins over the content type")
    func givenEncoding() throws {
        let answer = Answer(headers: ["Content-Type": "text/plain; charset=klingon"], body: Data([0xFC]))
        #expect(try answer.decodeString(encoding: .isoLatin1) == "ü")
    }

    @Test("A character set that is not known is named")
    func unknownCharset() {
        #expect {
            try Answer(headers: ["Content-Type": "text/plain; charset=Klingon"], body: "a").decodeString()
        } throws: {
            guard case .failedToDecodeResponseData(let cause as UnknownCharset) = $0 as? SerializationError else {
                return false
            }
            return cause.name == "Klingon" && "\($0)".contains("Klingon")
        }
    }

    @Test("Bytes that are no text in their encoding are an error")
    func badBytes() {
        #expect {
            try Answer(body: Data([0x61, 0xFF])).decodeString()
        } throws: {
            if case .failedToDecodeResponseData(cause: nil) = $0 as? SerializationError { true } else { false }
        }
    }
}

private struct Person: Codable {
    let firstName: String
}
