import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("the address of something below or beside another", .rule("Siesta 2", "Siesta 3"))
struct PathTests {
    private func url(_ text: String) throws -> URL {
        try #require(URL(string: text))
    }

    @Test(
        "all of a path is path, one slash joins it, and parameters of the base stay", .rule("Siesta 2"),
        arguments: [
            ("https://h/v1/", "/users", "https://h/v1/users"), ("https://h/v1/", "users", "https://h/v1/users"),
            ("https://h/v1", "users", "https://h/v1/users"), ("https://h", "users", "https://h/users"),
            ("https://h", "", "https://h/"), ("https://h/v1/", "", "https://h/v1/"),
            ("https://h/v1/", "/", "https://h/v1/"),
            ("https://h/v1/?k=a&b", "users", "https://h/v1/users?k=a&b"), ("https://h/?k#top", "a", "https://h/a?k"),
            ("https://h/", "a../.b", "https://h/a../.b"), ("https://h/", "//a", "https://h//a"),
            ("https://h/", "?foo=1", "https://h/%3Ffoo=1"), ("https://h/", "%3F", "https://h/%253F"),
            ("https://h/", "#a", "https://h/%23a"), ("https://h/v1/", "http://x/y", "https://h/v1/http://x/y"),
            ("https://h/", "a b/é", "https://h/a%20b/%C3%A9"), ("https://h/", "a;b,c@d", "https://h/a;b,c@d"),
            ("https://h/", "\u{0}\n", "https://h/%00%0A"), ("https://h/", "a\\b[c]|", "https://h/a%5Cb%5Bc%5D%7C"),
            ("https://u:p@h:8/v", "a", "https://u:p@h:8/v/a"), ("http://[::1]:8", "a", "http://[::1]:8/a"),
        ])
    func joining(base: String, path: String, expected: String) throws {
        #expect(try url(base).child(path)?.absoluteString == expected)
    }

    @Test(
        "nothing is below an address by going up", .rule("H15"), arguments: ["..", "../b", "/../b", "a/../b", "a/.."])
    func up(path: String) throws {
        #expect(try url("https://h/v1/users").child(path) == nil)
    }

    @Test("a child of no name is the address with a slash; a slash before a name does not count", .rule("Siesta 3"))
    func children() throws {
        let base = try url("https://h/a")
        #expect(base.child("")?.absoluteString == "https://h/a/")
        #expect(base.child("/c") == base.child("c"))
        #expect(base.child("")?.child("c") == base.child("c"))
        #expect(base.child("b")?.child("c")?.absoluteString == "https://h/a/b/c")
    }

    @Test("What was joined is canonical, when the base is", arguments: ["a b", "é", "~-._", "%41", "A?b", "/"])
    func canonicalChildren(path: String) throws {
        let child = try url("https://h/v1/").child(path)
        #expect(child?.canonical == child)
    }

    @Test(
        "a link leads where a browser would go (RFC 3986, 5.4)", .rule("Siesta 3"),
        arguments: [
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
            (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
            ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
            ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"),
            ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
            ("g;x=1/../y", "http://a/b/c/y"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ])
    func links(href: String, expected: String) throws {
        #expect(try url("http://a/b/c/d;p?q").relative(href)?.absoluteString == expected)
    }

    @Test(
        "links of the wild are mended", .rule("Siesta 3"),
        arguments: [
            ("c", "https://h/v1/a/c"), (" c \n", "https://h/v1/a/c"), ("a b", "https://h/v1/a/a%20b"),
            ("é", "https://h/v1/a/%C3%A9"), ("100%", "https://h/v1/a/100%25"), ("%20%zz", "https://h/v1/a/%20%25zz"),
            ("?x=[1]", "https://h/v1/a/b?x=%5B1%5D"), ("https://other/c", "https://other/c"),
        ])
    func sloppyLinks(href: String, expected: String) throws {
        #expect(try url("https://h/v1/a/b").relative(href)?.canonical.absoluteString == expected)
    }

    @Test("An address without a path, or with a base of its own, has links too")
    func bases() throws {
        #expect(try url("http://a?q").relative("g")?.absoluteString == "http://a/g")
        let nested = try #require(URL(string: "d", relativeTo: url("http://a/b/c")))
        #expect(nested.relative("g")?.absoluteString == "http://a/b/g")
        #expect(nested.child("g")?.absoluteString == "http://a/b/d/g")
    }

    @Test("An address without a scheme has neither")
    func relativeBase() throws {
        #expect(try url("a/b").child("c") == nil)
        #expect(try url("a/b").relative("c") == nil)
    }
}
