import PigeonHTTP
import TestSupport
import Testing

@Suite("Header fields")
struct HTTPHeadersTests {
    @Test("A name is found whatever its case, and its values are joined")
    func lookup() {
        var headers: HTTPHeaders = ["Accept": "text/plain"]
        headers.add("text/html", for: "accept")
        #expect(headers["ACCEPT"] == "text/plain, text/html")
        #expect(headers.values(of: "Accept") == ["text/plain", "text/html"])
        #expect(headers["Accept-Language"] == nil)
    }

    @Test("Setting replaces all fields of the name where the first one stood; nil removes them")
    func setting() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3", "C": "4"]
        headers["a"] = "5"
        #expect(headers == ["A": "5", "B": "2", "C": "4"])
        headers["A"] = nil
        #expect(headers == ["B": "2", "C": "4"])
        headers["D"] = "6"
        #expect(headers.map(\.name) == ["B", "C", "D"])
    }

    @Test("Letters alone have a case: @ and ` are two names")
    func onlyLetters() {
        let headers: HTTPHeaders = ["x-@": "1"]
        #expect(headers["X-@"] == "1")
        #expect(headers["x-`"] == nil)
    }

    @Test("As a dictionary, they have one value a name, in the form of the name that came first")
    func dictionary() {
        let headers: HTTPHeaders = ["A": "1", "b": "2", "a": "3", "B": "", "@": "4", "`": "5"]
        #expect(headers.dictionary == ["A": "1, 3", "b": "2, ", "@": "4", "`": "5"])
    }

    @Test("a flood of names, or of one name, is read in the time of its length", .rule("H15"), .timeLimit(.minutes(1)))
    func flood() {
        let count = 300_000
        let names = HTTPHeaders((0..<count).map { HTTPHeaders.Field(name: "X-\(1_000_000 + $0)", value: "") })
        #expect(names.dictionary.count == count)
        let values = HTTPHeaders((0..<count).map { _ in HTTPHeaders.Field(name: "X", value: "0123456789") })
        #expect(values["x"]?.utf8.count == 12 * count - 2)
        #expect(values.dictionary["X"] == values["x"])
    }

    @Test("Printing headers shows no value")
    func printing() {
        let headers: HTTPHeaders = ["Authorization": "Bearer secret"]
        #expect("\(headers)" == "[Authorization]")
    }
}
