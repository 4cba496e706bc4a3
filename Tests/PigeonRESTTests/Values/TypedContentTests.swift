import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("Content by type")
struct TypedContentTests {
    private func holding(_ content: any Sendable) -> Entity<any Sendable> {
        Entity(content: content, contentType: "a/b")
    }

    @Test("The content is there as its type, and else what was named instead")
    func types() {
        let entity = holding("text")
        #expect(entity.typedContent(ifNone: "other") == "text")
        #expect(entity.typedContent(ifNone: 3) == 3)
        #expect(entity.typedContent(ifNone: nil as Int?) == nil)
        #expect(entity.typedContent(ifNone: 3 as Int?) == 3)
        #expect(entity.typedContent() as String? == "text")
        #expect(entity.typedContent() as Int? == nil)
    }

    @Test("What is named instead is not made when it is not needed")
    func laziness() {
        let entity = holding("text")
        var isMade = false
        let text: String = entity.typedContent(
            ifNone: {
                isMade = true
                return ""
            }())
        #expect(text == "text")
        #expect(!isMade)
    }

    @Test("anything as Any is itself, not ()", .rule("Siesta C5"))
    func any() {
        #expect(holding("text").typedContent() as Any? as? String == "text")
        #expect(holding("text").typedContent() as (any Sendable)? as? String == "text")
        #expect(!((holding("text").typedContent() as Any?) is Void))
    }

    @Test("nothing but () is a Void", .rule("Siesta C5"))
    func void() {
        #expect(holding("text").typedContent() as Void? == nil)
        #expect(holding(Data()).typedContent() as Void? == nil)
        #expect(holding(()).typedContent() as Void? != nil)
    }

    @Test("a content of nil is a nil of its own type alone", .rule("Siesta C5"))
    func optionals() {
        let empty = holding(Int?.none)
        #expect(empty.typedContent() as String?? == .none)
        #expect(empty.typedContent() as Int?? == .some(.none))
        #expect(empty.typedContent() as Any? == nil)
        #expect(holding(Int?.some(3)).typedContent() as Int? == 3)
        #expect(holding(3).typedContent() as Int?? == 3)
        #expect(holding("text").typedContent() as Int?? == .none)
    }

    @Test("JSON and text are there in short, and empty where there is none")
    func shorthand() {
        let object = holding(["a": 1, "b": ["c": "d"] as [String: any Sendable]] as [String: any Sendable])
        #expect(object.jsonDict["a"] as? Int == 1)
        #expect((object.jsonDict["b"] as? [String: Any])?["c"] as? String == "d")
        #expect(object.jsonArray.isEmpty)
        let array = holding([1, 2] as [any Sendable])
        #expect(array.jsonArray as? [Int] == [1, 2])
        #expect(array.jsonDict.isEmpty)
        #expect(array.text == "")
        #expect(holding("text").text == "text")
    }

    @Test("An error has the content of its body")
    func errors() {
        let error = RequestError(userMessage: "no", cause: nil, entity: holding(["message": "limit"]))
        #expect(error.jsonDict["message"] as? String == "limit")
        #expect(RequestError(userMessage: "no", cause: nil).jsonDict.isEmpty)
    }
}
