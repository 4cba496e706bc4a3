import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("JSON that the program edits and shows")
struct JSONOverrideTests {
    private let bench = RESTBench(transformers: [.json])

    private func loaded(_ text: String) -> Resource {
        let resource = bench.resource()
        resource.load()
        bench.answer(text, headers: ["Content-Type": "application/json", "ETag": "\"1\""])
        return resource
    }

    @Test("an object that is edited is shown, with the headers of what was there", .rule("U3"))
    func object() async throws {
        let resource = loaded(#"{"name": "Ann", "price": 1}"#)
        await bench.until { resource.latestData != nil }
        var settings = resource.jsonDict
        settings["foo"] = "bar"
        settings["count"] = 2
        settings["price"] = nil
        resource.overrideLocalContent(with: settings)
        #expect(resource.jsonDict.keys.sorted() == ["count", "foo", "name"])
        #expect(resource.jsonDict["foo"] as? String == "bar")
        #expect(resource.jsonDict["count"] as? Double == 2)
        #expect(resource.latestData?.contentType == "application/json")
        #expect(resource.latestData?.etag == nil)
    }

    @Test("an array, and an object in an object, are edited and shown", .rule("U3"))
    func nested() async throws {
        let resource = loaded(#"[{"address": {"city": "Bern"}}]"#)
        await bench.until { resource.latestData != nil }
        var people = resource.jsonArray
        var person = try #require(people[0] as? [String: Any])
        var address = try #require(person["address"] as? [String: Any])
        address["city"] = "Rome"
        person["address"] = address
        people[0] = person
        people.append(NSNull())
        resource.overrideLocalContent(with: people)
        let shown = try #require(resource.jsonArray.first as? [String: Any])
        #expect((shown["address"] as? [String: String])?["city"] == "Rome")
        #expect(resource.jsonArray.last is NSNull)
    }

    @Test("an edited object may hold every kind of number, dates, data, URLs, UUIDs and nil", .rule("U3"))
    func values() throws {
        let (url, id, missing) = (URL(string: "https://a.test"), UUID(), String?.none)
        let edited: [String: Any] = [
            "int": 1, "small": UInt8(2), "double": 2.5, "float": Float(0.5), "decimal": Decimal(3), "flag": true,
            "number": NSNumber(value: 4), "text": "x", "string": NSString("y"), "date": Date(timeIntervalSince1970: 0),
            "data": Data([1]), "url": url as Any, "id": id, "missing": missing as Any, "some": Optional(5) as Any,
            "list": NSArray(array: [1]), "object": ["a": ["b": [1.5]]],
        ]
        let resource = bench.resource()
        resource.overrideLocalContent(with: edited)
        let shown = resource.jsonDict
        #expect(shown.count == edited.count)
        #expect(shown["int"] as? Int == 1 && shown["small"] as? Int == 2 && shown["some"] as? Int == 5)
        #expect(shown["double"] as? Double == 2.5 && shown["float"] as? Float == 0.5)
        #expect(shown["flag"] as? Bool == true && shown["number"] as? Int == 4)
        #expect(shown["text"] as? String == "x" && shown["string"] as? String == "y")
        #expect(shown["date"] as? Date == Date(timeIntervalSince1970: 0) && shown["data"] as? Data == Data([1]))
        #expect(shown["url"] as? URL == url && shown["id"] as? UUID == id)
        #expect(shown["missing"] is NSNull)
        #expect(shown["list"] as? [Int] == [1])
        #expect((shown["object"] as? [String: [String: [Double]]])?["a"]?["b"] == [1.5])
    }

    @Test("literals and values of one type are content of that type, and mixed literals are JSON", .rule("U3"))
    func literals() {
        let resource = bench.resource()
        resource.overrideLocalContent(with: [User(name: "Ann"), User(name: "Bob")])
        #expect(resource.typedContent() as [User]? == [User(name: "Ann"), User(name: "Bob")])
        resource.overrideLocalContent(with: ["ann": User(name: "Ann")])
        #expect(resource.typedContent() as [String: User]? == ["ann": User(name: "Ann")])
        let users = [User(name: "Cid")]
        resource.overrideLocalContent(with: users)
        #expect(resource.typedContent() as [User]? == users)
        resource.overrideLocalContent(with: ["user": User(name: "Ann"), "count": 1] as [String: any Sendable])
        #expect((resource.jsonDict["user"] as? User)?.name == "Ann")
        resource.overrideLocalContent(with: [1, 2])
        #expect(resource.typedContent() as [Int]? == [1, 2])
        resource.overrideLocalContent(with: ["name": "Ann", "count": 1])
        #expect(resource.jsonDict["count"] as? Int == 1)
        resource.overrideLocalContent(with: ["Ann", 1])
        #expect(resource.jsonArray.count == 2)
    }

    #if DEBUG && (os(Linux) || os(macOS))
        @Test("an object of the program in edited JSON stops a debug build", .rule("U3"))
        func refusal() async {
            await #expect(processExitsWith: .failure) {
                let edited: [String: Any] = ["owner": Owner()]
                RESTBench().resource().overrideLocalContent(with: edited)
            }
        }
    #endif

    private struct User: Sendable, Equatable {
        let name: String
    }
}
