import Foundation
import PigeonHTTP
import Testing

@Suite("Coding transforms")
struct TransformTests {
    private struct Place: Codable, Equatable {
        var opened = Date(timeIntervalSince1970: 0)
        var name: String? = "x"
        var visits: Int64 = 7
        var code = "12"
        var zone = TimeZone(identifier: "Europe/Ljubljana")
        var site: URL?

        enum Keys: String, CodingKey { case opened, name, visits, code, zone, site }

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            opened = try container.decode(using: DateTransform(), forKey: .opened)
            name = try container.decode(using: EmptyStringTransform(), forKey: .name)
            visits = try container.decode(using: IntFromStringTransform(), forKey: .visits)
            code = try container.decode(using: StringFromIntTransform(), forKey: .code)
            zone = try container.decodeIfPresent(using: TimeZoneTransform(), forKey: .zone)
            site = try container.decodeIfPresent(using: URLTransform(), forKey: .site)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(opened, forKey: .opened, using: DateTransform())
            try container.encode(name ?? "", forKey: .name, using: EmptyStringTransform())
            try container.encode(visits, forKey: .visits, using: StringFromIntTransform())
            try container.encode(code, forKey: .code, using: IntFromStringTransform())
            try container.encodeIfPresent(zone, forKey: .zone, using: TimeZoneTransform())
            try container.encodeIfPresent(site, forKey: .site, using: URLTransform())
        }
    }

    @Test("A type writes its values in the server's forms and reads them back")
    func roundTrip() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var place = Place()
        let text = String(decoding: try encoder.encode(place), as: UTF8.self)
        #expect(
            text == #"{"code":12,"name":"x","opened":"1970-01-01T00:00:00Z","visits":"7","zone":"Europe/Ljubljana"}"#)
        #expect(try JSONDecoder().decode(Place.self, from: encoder.encode(place)) == place)

        place.site = URL(string: "https://h/a")
        #expect(try JSONDecoder().decode(Place.self, from: encoder.encode(place)) == place)
    }

    @Test("An empty text is null, and read as nothing")
    func emptyText() throws {
        let transform = EmptyStringTransform()
        #expect(try transform.transform(json: "") == nil)
        #expect(try transform.transform(json: "a") == "a")
        #expect(try transform.transform(value: "") == nil)
        #expect(try transform.transform(value: "a") == "a")
    }

    @Test(
        "A value that does not fit is an error at its place, without the value",
        arguments: ["opened", "visits", "zone", "site"])
    func misfits(key: String) throws {
        var object: [String: Any] = [
            "opened": "1970-01-01T00:00:00Z", "name": "", "visits": "7", "code": 12, "zone": "GMT", "site": "https://h",
        ]
        object[key] = key == "site" ? "http://[hush" : "hush"
        let data = try JSONSerialization.data(withJSONObject: object)
        #expect {
            try JSONDecoder().decode(Place.self, from: data)
        } throws: {
            guard case .dataCorrupted(let context) = $0 as? DecodingError else { return false }
            return context.codingPath.map(\.stringValue) == [key] && !"\($0)".contains("hush")
        }
    }

    @Test("A number that is none cannot be written")
    func badNumber() {
        #expect(throws: EncodingError.self) { try IntFromStringTransform().transform(value: "x") }
    }

    @Test("A date is in the form of its formatter")
    func dateForm() throws {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "dd.MM.yyyy"
        let transform = DateTransform(formatter: formatter, codingPath: [])
        #expect(try transform.transform(value: Date(timeIntervalSince1970: 86_400)) == "02.01.1970")
        #expect(try transform.from(json: "02.01.1970", codingPath: []) == Date(timeIntervalSince1970: 86_400))
    }
}
