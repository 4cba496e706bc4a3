import Foundation
import PigeonREST
import TestSupport
import Testing

@Suite("the canonical form of an address", .rule("Siesta S29"))
struct CanonicalURLTests {
    private func canonical(_ text: String) throws -> String {
        try #require(URL(string: text)).canonical.absoluteString
    }

    @Test(
        "addresses that are sure to be the same are one", .rule("Siesta S29"),
        arguments: [
            ("http://h", "http://h/"), ("HTTP://EXAMPLE.com/A", "http://example.com/A"), ("http://h:80/", "http://h/"),
            ("https://h:443", "https://h/"), ("http://h:/", "http://h/"), ("http://h/%7ea%2f", "http://h/~a%2F"),
            ("http://h/?q=%2f%41", "http://h/?q=%2FA"), ("http://h/a#top", "http://h/a"), ("http://h?q", "http://h/?q"),
            ("wss://h:443/", "wss://h/"), ("http://[::1]:80/", "http://[::1]/"), ("http://U:P@H/", "http://U:P@h/"),
            ("http://h/%e4%bd%a0", "http://h/%E4%BD%A0"), ("http://h/a/../b", "http://h/b"),
            ("http://h/a/%2e%2E/b", "http://h/b"), ("http://h/../../b/.", "http://h/b/"),
        ])
    func same(text: String, expected: String) throws {
        #expect(try canonical(text) == expected)
    }

    @Test(
        "Addresses that servers may tell apart stay",
        arguments: [
            "http://h:443/", "https://h:80/", "http://h/a/", "http://h/a//b", "http://h/a..b/.c", "http://h/?b=1&a=2",
            "http://h/?", "http://h/?a=", "http://h/?a", "http://h/a%2Fb", "http://h/a+b", "http://h/%20", "http://h/A",
            "mailto:a@b", "https://h:8443/x",
        ])
    func apart(text: String) throws {
        #expect(try canonical(text) == text)
    }

    @Test(
        "A canonical address is its own canonical address, however odd",
        arguments: ["http://h/%25zz", "HTTP://A:80?%4a"])
    func twice(text: String) throws {
        let once = try canonical(text)
        #expect(try canonical(once) == once)
    }

    @Test("An address with a base of its own becomes a whole one, one without any stays")
    func relative() throws {
        let nested = try #require(URL(string: "b", relativeTo: URL(string: "HTTP://h/a")))
        #expect(nested.canonical.absoluteString == "http://h/b")
        #expect(nested.canonical.baseURL == nil)
        #expect(try canonical("A/b") == "A/b")
    }

    @Test(
        "an origin is a scheme, a host and a port", .rule("Siesta S33"),
        arguments: [
            ("https://h/a", "https://h/b?c", true), ("https://h", "HTTPS://H:443/", true),
            ("https://h", "http://h", false),
            ("https://h", "https://h:8443", false), ("https://h", "https://h.evil", false),
            ("https://h", "https://h@evil/", false), ("https://h", "https://u:p@h/", true),
            ("https://h", "https://evil?@h/", false), ("https://h", "https://evil#@h/", false),
            ("https://h", "https://h\\@evil/", false), ("https://h", "https://evil\\@h/", true),
            ("https://h", "https://sub.h/", false), ("file:///a", "file:///a", false), ("mailto:a", "mailto:a", false),
            ("a/b", "a/b", false),
        ])
    func origins(one: String, other: String, isSame: Bool) throws {
        let (one, other) = (try #require(URL(string: one)), try #require(URL(string: other)))
        #expect(one.hasSameOrigin(as: other) == isSame)
        #expect(other.hasSameOrigin(as: one) == isSame)
    }
}
