import Foundation
import PigeonFutures
import Testing

extension Seed003 {
    @MainActor
    struct CustomCoding {
        private var request = BasicRequest(method: .post, path: "/users")

        @Test mutating func `mappable objects and lists become JSON bodies`() {
            request.setJSONBody(mappable: Mapped(id: "123", name: nil))
            #expect(request.httpBody == Data(#"{"id":"123"}"#.utf8))
            #expect(request.headers == ["Content-Type": "application/json"])
            request.setJSONBody(mappable: Mapped(id: "123", name: nil), shouldIncludeNilValues: true)
            #expect(request.httpBody == Data(#"{"id":"123","name":null}"#.utf8))
            request.setJSONBody(mappable: [Mapped(id: "1", name: "Kevin")])
            #expect(request.httpBody == Data(#"[{"id":"1","name":"Kevin"}]"#.utf8))
        }

        @Test func `mappable objects, lists and dictionaries are read`() throws {
            let kevin = Mapped(id: "1", name: "Kevin")
            let json = #"{"id":"1","name":"Kevin"}"#
            #expect(try Response.made(json).decodeMappable(Mapped.self) == kevin)
            #expect(try Response.made("[\(json)]").decodeMappable([Mapped].self) == [kevin])
            #expect(try Response.made(#"{"a":\#(json)}"#).decodeMappable([String: Mapped].self) == ["a": kevin])
            #expect(try Response.made(#"{"a":[\#(json)]}"#).decodeMappable([String: [Mapped]].self) == ["a": [kevin]])
            #expect(throws: SerializationError.self) { try Response.made("7").decodeMappable(Mapped.self) }
            #expect(throws: SerializationError.self) { try Response.made("", 204).decodeMappable(Mapped.self) }
        }

        @Test mutating func `map-codable objects are written and read`() throws {
            try request.setJSONBody(mapEncodable: Coded(id: 7))
            #expect(request.httpBody == Data(#"{"id":7}"#.utf8))
            #expect(request.headers == ["Content-Type": "application/json"])
            #expect(try Response.made(#"{"id":7}"#).decodeMapDecodable(Coded.self) == Coded(id: 7))
            #expect(try Response.made(#"[{"id":7}]"#).decodeMapDecodable([Coded].self) == [Coded(id: 7)])
            #expect(throws: SerializationError.self) { try Response.made("{}").decodeMapDecodable(Coded.self) }
        }
    }
}

private struct Mapped: BaseMappable, Equatable {
    let id: String
    let name: String?

    init(id: String, name: String?) {
        self.id = id
        self.name = name
    }

    init?(map: [String: Any]) {
        guard let id = map["id"] as? String else { return nil }
        self.init(id: id, name: map["name"] as? String)
    }

    var map: [String: Any?] { ["id": id, "name": name] }
}

private struct Coded: Codable, Equatable, MapEncodable, MapDecodable {
    let id: Int

    init(id: Int) {
        self.id = id
    }

    init(jsonData: Data) throws {
        self = try JSONDecoder().decode(Coded.self, from: jsonData)
    }

    func jsonData(options: JSONSerialization.WritingOptions) throws -> Data { try JSONEncoder().encode(self) }

    static func parseArray(jsonData: Data) throws -> [Coded] { try JSONDecoder().decode([Coded].self, from: jsonData) }
}
