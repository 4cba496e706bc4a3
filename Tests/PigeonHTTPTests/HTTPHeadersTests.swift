import PigeonHTTP
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

    @Test("Printing headers shows no value")
    func printing() {
        let headers: HTTPHeaders = ["Authorization": "Bearer secret"]
        #expect("\(headers)" == "[Authorization]")
    }
}
