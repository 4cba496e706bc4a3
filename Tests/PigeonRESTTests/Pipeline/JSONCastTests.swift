import Foundation
import PigeonREST
import TestSupport
import Testing

/// Casts a value to a type, as old code does with `as?`.
private struct Cast: Sendable, CustomTestStringConvertible {
    let name: String
    let read: @Sendable (Any) -> String

    init<T>(_ type: T.Type) {
        name = "\(T.self)"
        read = { value in (value as? T).map { "\($0)" } ?? "nil" }
    }

    var testDescription: String { "as? \(name)" }
}

@Suite("JSON, read as old code reads it")
struct JSONCastTests {
    private static let text = """
        {"zero": 0, "one": 1, "minus": -3, "large": 300, "most": 9223372036854775807, "more": 9223372036854775808,
         "huge": 123456789012345678901234567890, "half": 0.5, "price": 10.0, "exponent": 1.5e3,
         "yes": true, "no": false, "null": null, "text": "x", "digits": "1", "empty": {}, "none": [],
         "ints": [1, 2], "mixed": [1, 2.5], "flags": [true, false], "texts": ["a"], "gaps": [1, null],
         "object": {"a": 1}, "objects": [{"a": 1}], "deep": [[1]]}
        """

    private static let casts = [
        Cast(Int.self), Cast(Int8.self), Cast(Int32.self), Cast(Int64.self), Cast(UInt.self), Cast(UInt8.self),
        Cast(Double.self), Cast(Float.self), Cast(Bool.self), Cast(String.self), Cast(Decimal.self),
        Cast(NSNumber.self), Cast(NSNull.self), Cast(NSString.self), Cast([Any].self), Cast([Int].self),
        Cast([Int64].self), Cast([Double].self), Cast([Float].self), Cast([Bool].self), Cast([String].self),
        Cast([NSNumber].self), Cast([[Int]].self), Cast([[Double]].self), Cast([String: Any].self),
        Cast([String: Int].self), Cast([String: Double].self), Cast([String: NSNumber].self),
        Cast([[String: Any]].self), Cast([[String: Double]].self), Cast(NSArray.self), Cast(NSDictionary.self),
        Cast((any Equatable).self), Cast(AnyHashable.self), Cast((any Numeric).self),
    ]

    private var parsed: [String: Any] {
        get throws { try #require(JSONResponseTransformer().process(.success(.body(Self.text))).entity).jsonDict }
    }

    @Test("every value casts as what JSONSerialization makes on this system", .rule("U3"), arguments: casts)
    private func sameCasts(cast: Cast) throws {
        let object = try JSONSerialization.jsonObject(with: Data(Self.text.utf8))
        let expected = try #require(object as? [String: Any])
        let parsed = try parsed
        #expect(parsed.keys.sorted() == expected.keys.sorted())
        for (name, value) in expected {
            let actual = try #require(parsed[name])
            #expect(cast.read(actual) == cast.read(value), "\(name) \(cast.testDescription)")
        }
    }

    @Test("a whole number is an integer of any size and a floating-point number", .rule("U3"))
    func wholeNumbers() throws {
        let parsed = try parsed
        #expect(parsed["one"] as? Int == 1)
        #expect(parsed["one"] as? Int64 == 1)
        #expect(parsed["one"] as? Double == 1)
        #expect(parsed["one"] as? Float == 1)
        #expect(parsed["price"] as? Double == 10)
        #expect(parsed["price"] as? Int == 10)
        #expect(parsed["large"] as? Int8 == nil)
        #expect(parsed["half"] as? Int == nil)
        #expect(parsed["ints"] as? [Double] == [1, 2])
        #expect(parsed["mixed"] as? [Double] == [1, 2.5])
        #expect(parsed["object"] as? [String: Double] == ["a": 1])
    }

    @Test("Booleans are Booleans, and null is NSNull", .rule("U3"))
    func others() throws {
        let parsed = try parsed
        #expect(parsed["yes"] as? Bool == true)
        #expect(parsed["no"] as? Bool == false)
        #expect(parsed["flags"] as? [Bool] == [true, false])
        #expect(parsed["large"] as? Bool == nil)
        #expect(parsed["null"] is NSNull)
        #expect(parsed["text"] as? Double == nil)
    }

    @Test("what was parsed is written as it was read", .rule("U3"))
    func writtenAgain() throws {
        let text = #"{"a":1,"b":1.5,"c":true,"d":[0,false,null,"x"]}"#
        let entity = try #require(JSONResponseTransformer().process(.success(.body(text))).entity)
        let data = try JSONSerialization.data(withJSONObject: entity.jsonDict, options: .sortedKeys)
        #expect(String(decoding: data, as: UTF8.self) == text)
    }
}
