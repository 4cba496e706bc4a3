import Foundation
import PigeonFutures
import Testing

/// A transform of one's own, in both directions.
// guide: transforms are classes
private struct Doubling: Transform {
    func from(json: Int, codingPath: [CodingKey]) throws -> Int {
        return json * 2
    }

    func toJSON(_ value: Int, codingPath: [CodingKey]) throws -> Int {
        return value / 2
    }
}

/// Transforms in one direction.
private class Reading: DecodingTransform {
    func from(json: String, codingPath: [CodingKey]) throws -> Character {
        guard let first = json.first else {
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: "empty"))
        }
        return first
    }
}

private class Writing: EncodingTransform {
    func toJSON(_ value: Character, codingPath: [CodingKey]) throws -> String {
        return String(value)
    }
}

/// A model that uses all of them.
private struct Model: Codable, Equatable {
    var date: Date
    var note: String?
    var count: Int64
    var label: String
    var zone: TimeZone
    var link: URL?
    var double: Int

    enum CodingKeys: String, CodingKey {
        case date, note, count, label, zone, link, double
    }

    init(date: Date, note: String?, count: Int64, label: String, zone: TimeZone, link: URL?, double: Int) {
        self.date = date
        self.note = note
        self.count = count
        self.label = label
        self.zone = zone
        self.link = link
        self.double = double
    }

    init(from decoder: Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        date = try container.decode(using: DateTransform(formatter: .rfc3339, codingPath: []), forKey: .date)
        note = try container.decode(using: EmptyStringTransform(), forKey: .note)
        count = try container.decode(using: IntFromStringTransform(), forKey: .count)
        label = try container.decode(using: StringFromIntTransform(), forKey: .label)
        zone = try container.decode(using: TimeZoneTransform(), forKey: .zone)
        link = try container.decodeIfPresent(using: URLTransform(), forKey: .link)
        double = try container.decode(using: Doubling(), forKey: .double)
    }

    func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(date, forKey: .date, using: DateTransform(formatter: .rfc3339, codingPath: []))
        try container.encode(note ?? "", forKey: .note, using: EmptyStringTransform())
        try container.encode("\(count)", forKey: .count, using: IntFromStringTransform())
        try container.encode(7, forKey: .label, using: StringFromIntTransform())
        try container.encode(zone, forKey: .zone, using: TimeZoneTransform())
        try container.encodeIfPresent(link, forKey: .link, using: URLTransform())
        try container.encode(double, forKey: .double, using: Doubling())
    }
}

@Suite("PiuPiu 1.11: transforms")
struct Version1_11TransformsTests {
    @Test("containers: decode and decodeIfPresent, encode and encodeIfPresent, with each transform")
    func containers() throws {
        let json = """
            {"date":"1970-01-01T00:00:00Z","note":"","count":"42","label":7,"zone":"Europe/Paris",\
            "link":"https://example.com","double":4}
            """
        let model = try JSONDecoder().decode(Model.self, from: Data(json.utf8))
        let zone = try #require(TimeZone(identifier: "Europe/Paris"))
        let expected = Model(
            date: Date(timeIntervalSince1970: 0), note: nil, count: 42, label: "7", zone: zone, link: example, double: 8
        )
        #expect(model == expected)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let written = """
            {"count":42,"date":"1970-01-01T00:00:00Z","double":4,"label":"7","link":"https://example.com",\
            "note":null,"zone":"Europe/Paris"}
            """
        #expect(text(try encoder.encode(model)) == written)
    }

    @Test("each transform in both directions, and its formatter")
    func directions() throws {
        let date = DateTransform(formatter: .rfc3339, codingPath: [])
        #expect(date.formatter === DateFormatter.rfc3339)
        #expect(try date.from(json: "1970-01-01T00:00:00Z", codingPath: []).timeIntervalSince1970 == 0)
        #expect(try date.toJSON(Date(timeIntervalSince1970: 0), codingPath: []) == "1970-01-01T00:00:00Z")
        let empty = EmptyStringTransform()
        #expect(try empty.from(json: "", codingPath: []) == nil && empty.toJSON("", codingPath: []) == nil)
        #expect(try empty.from(json: "a", codingPath: []) == "a" && empty.toJSON("a", codingPath: []) == "a")
        let number = IntFromStringTransform()
        #expect(try number.from(json: "7", codingPath: []) == 7 && number.toJSON("7", codingPath: []) == 7)
        #expect(throws: EncodingError.self) { try number.toJSON("seven", codingPath: []) }
        let string = StringFromIntTransform()
        #expect(try string.from(json: 7, codingPath: []) == "7" && string.toJSON(7, codingPath: []) == "7")
        let zone = TimeZoneTransform()
        let paris = try zone.from(json: "Europe/Paris", codingPath: [])
        #expect(try zone.toJSON(paris, codingPath: []) == "Europe/Paris")
        let url = URLTransform()
        #expect(try url.from(json: "https://example.com", codingPath: []) == example)
        #expect(try url.toJSON(example, codingPath: []) == "https://example.com")
    }

    /// The names of the associated types.
    private func read<T: DecodingTransform>(_ json: T.JSONSource, by transform: T) throws -> T.ValueDestination {
        return try transform.from(json: json, codingPath: [])
    }

    private func write<T: EncodingTransform>(_ value: T.ValueSource, by transform: T) throws -> T.JSONDestination {
        return try transform.toJSON(value, codingPath: [])
    }

    @Test("transforms of one's own, and the names that were deprecated then")
    func own() throws {
        #expect(try Reading().transform(json: "piu") == "p" && Writing().transform(value: "p") == "p")
        #expect(try Doubling().transform(json: 2) == 4 && Doubling().transform(value: 4) == 2)
        #expect(try read(2, by: Doubling()) == 4 && write(4, by: Doubling()) == 2)
        #expect(throws: DecodingError.self) { try Reading().from(json: "", codingPath: []) }
    }

    @Test("guide: TransformError is the underlying error of a DecodingError that says where")
    func errors() {
        // guide: `TimeZoneTransform.TransformError` is thrown
        do {
            _ = try TimeZoneTransform().from(json: "Nowhere", codingPath: [])
        } catch DecodingError.dataCorrupted(let context) {
            #expect(context.underlyingError as? TimeZoneTransform.TransformError == .invalidIdentifier)
        } catch {
            Issue.record(error)
        }
        for work in [
            { _ = try IntFromStringTransform().from(json: "seven", codingPath: []) },
            { _ = try DateTransform(formatter: .rfc3339, codingPath: []).from(json: "today", codingPath: []) },
            { _ = try URLTransform().from(json: "", codingPath: []) },
        ] as [() throws -> Void] {
            #expect(throws: DecodingError.self) { try work() }
        }
    }
}
