import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("a pattern for addresses", .rule("Siesta 6"))
struct PatternTests {
    private func matches(_ pattern: String, _ address: String, base: String? = "https://h/v1") throws -> Bool {
        URLPattern(pattern, baseURL: base.flatMap { URL(string: $0) }).matches(try #require(URL(string: address)))
    }

    @Test(
        "stars and question marks, below the base URL", .rule("Siesta 6"),
        arguments: [
            ("/users", "users", true), ("users", "users", true), ("users", "users/", false),
            ("users", "users/1", false),
            ("/users/*", "users/1", true), ("/users/*", "users/", true), ("/users/*", "users", false),
            ("/users/*", "users/1/repos", false), ("/users/*/repos", "users/1/repos", true),
            ("/users/*/repos", "users/1/2/repos", false), ("/users/a*z", "users/az", true),
            ("/users/a*z", "users/abcz", true), ("/users/a*z", "users/abc", false), ("**", "", true),
            ("**", "a/b/c", true),
            ("/a/**", "a/b/c", true), ("/a/**", "a/", true), ("/a/**", "a", false), ("/a/**/z", "a/z", true),
            ("/a/**/z", "a/b/z", true), ("/a/**/z", "a/b/c/z", true), ("/a/**/z", "a/bz", false),
            ("/a/**/z", "az", false),
            ("**/z", "z", true), ("**/z", "a/b/z", true), ("**/z", "a/bz", false), ("/a/**z", "a/b/cz", true),
            ("/a/**/*/z", "a/b/z", true), ("/a/**/*/z", "a/z", false), ("/a/**/**/z", "a/z", true),
            ("/?", "a", true), ("/?", "", false), ("/?", "ab", false), ("a?b", "a/b", false), ("/??", "ab", true),
            ("/?*", "ab", true), ("/?*", "", false), ("*a*b*", "xaxbx", true), ("*a*b*", "xbxax", false),
            ("", "", true), ("/", "", true), ("", "a", false), ("/a***b", "a/x/b", true), ("/a.c", "abc", false),
            ("/[ab](c", "a", false), ("/a$", "a", false), ("/\\d", "1", false),
        ])
    func globs(pattern: String, path: String, isMatch: Bool) throws {
        #expect(try matches(pattern, "https://h/v1/\(path)") == isMatch)
    }

    @Test("parameters and fragments of an address do not count", .rule("Siesta 6"))
    func parameters() throws {
        #expect(try matches("/users", "https://h/v1/users?page=2#top"))
        #expect(try matches("/users/*", "https://h/v1/users/1?x=/y/z"))
        #expect(try !matches("/users/z", "https://h/v1/users?x=/z"))
    }

    @Test("parameters of the base URL do not count", .rule("Siesta S17"))
    func baseParameters() throws {
        #expect(try matches("/users", "https://h/v1/users?k=1", base: "https://h/v1?k=1"))
        #expect(try matches("**", "https://h/v1/a/b", base: "https://h/v1/?k=1#top"))
    }

    @Test("a slash between stars is a slash, on any platform", .rule("Siesta S18"))
    func slashes() throws {
        #expect(try matches("/a/**/b/**/c", "https://h/v1/a/b/c"))
        #expect(try matches("/a/**/b/**/c", "https://h/v1/a/x/y/b/z/c"))
    }

    @Test(
        "a relative pattern matches nothing outside of the base URL", .rule("Siesta 6"),
        arguments: [
            "https://evil/v1/users", "https://h/v2/users", "https://h/v10/users", "http://h/v1/users",
            "https://h:8443/v1/users", "https://h.evil/v1/users", "https://h/v1", "https://evil/?https://h/v1/users",
            "https://evil/https://h/v1/users", "https://h@evil/v1/users",
        ])
    func outside(address: String) throws {
        #expect(try !matches("**", address))
        #expect(try !matches("/**/users", address))
    }

    @Test("a pattern with a scheme is for whole addresses", .rule("Siesta 6"))
    func absolute() throws {
        #expect(try matches("https://other/*", "https://other/a"))
        #expect(try !matches("https://other/*", "https://h/v1/a"))
        #expect(try matches("https://*.example.com/**", "https://api.example.com/a/b"))
        #expect(try !matches("https://*.example.com/**", "https://evil/.example.com/a"))
        #expect(try !matches("https://*.example.com/**", "https://a.example.com@evil/a"))
        #expect(try matches("http*://h/**", "https://h/a") == false)  // a scheme has no star, so this is relative
        #expect(try matches("HTTPS://Other:443/A", "https://other/A"))
    }

    @Test(
        "without a base URL every pattern is for whole addresses", .rule("U10"),
        arguments: [
            ("/foo", "/foo", true), ("/foo", "foo", false), ("foo", "/foo", false), ("foo", "foo", true),
            ("/foo", "http://bar.baz/foo", false), ("http://bar.baz/*", "http://bar.baz/foo", true),
            ("**", "https://h/a/b", true), ("**/avatars/*", "https://h/avatars/1", true),
            ("**/avatars/*", "https://h/avatars/1/2", false), ("*", "https://h/a", false),
        ])
    func noBase(pattern: String, address: String, isMatch: Bool) throws {
        #expect(try matches(pattern, address, base: nil) == isMatch)
        let service = Service()
        service.configure(pattern) { $0.expirationTime = 6 }
        let resource = service.resource(absoluteURL: address)
        #expect(resource.configuration.expirationTime == (isMatch ? 6 : 30))
    }

    @Test("Addresses and patterns match however they are escaped")
    func escapes() throws {
        #expect(try matches("/a b/é", "https://h/v1/a%20b/%c3%a9"))
        #expect(try matches("/%7Ea/%2f", "HTTPS://H:443/v1/~a/%2F"))
        #expect(try matches("/?", "https://h/v1/%C3%A9"))
        #expect(try matches("/?", "https://h/v1/%20"))
        #expect(try !matches("/?", "https://h/v1/%20%20"))
        #expect(try matches("/100%", "https://h/v1/100%25"))
    }

    @Test("A star in the base URL is a star")
    func starredBase() throws {
        #expect(try matches("a", "https://h/*/a", base: "https://h/*/"))
        #expect(try !matches("a", "https://h/b/a", base: "https://h/*/"))
    }

    @Test("A pattern of many stars takes no longer than it is long")
    func manyStars() throws {
        let pattern = String(repeating: "*a", count: 200) + "b"
        let path = String(repeating: "a", count: 2000)
        #expect(try !matches(pattern, "https://h/v1/\(path)"))
        #expect(try matches(pattern, "https://h/v1/\(path)b"))
    }

    @Test("a string and an expression are patterns of a service", .rule("Siesta 6"))
    func convertible() throws {
        let service = Service(baseURL: "https://h/v1")
        let url = try #require(URL(string: "https://other/v1/users?x=1"))
        #expect(try "users".configurationPattern(for: service)(#require(URL(string: "https://h/v1/users"))))
        #expect(!"users".configurationPattern(for: service)(url))
        #expect("users".configurationPatternDescription == "users")
        let expression = try NSRegularExpression(pattern: "er[s]\\?x=")
        #expect(expression.configurationPattern(for: service)(url))
        #expect(expression.configurationPatternDescription == "er[s]\\?x=")
        #expect(try !NSRegularExpression(pattern: "^v1").configurationPattern(for: service)(url))
    }
}
