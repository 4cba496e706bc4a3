internal import Foundation
internal import PigeonCore
internal import PigeonHTTP
internal import PigeonREST

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Texts that name something: keys, paths, patterns, times.
enum TextFuzz {
    private static let keyPieces = [
        "a", "b/", "/", "%", "%2F", "%25", "%2", "ü", "\u{301}", "", "users", "42", "..", "\0",
    ]

    /// A key is the same after it was printed, or encoded, and read again; and its components are what it was made of.
    static func checkKeys(_ random: inout SeededRandom) throws -> String? {
        let components = (0..<random.number(1..<5)).map { _ in random.text(of: keyPieces, count: 0..<5) }
        var key = QueryKey(components[0])
        for component in components.dropFirst() { key = key.appending(component) }
        let encoded = try JSONEncoder().encode([key])
        guard key.components == components else { return "\(components): components are \(key.components)" }
        guard try JSONDecoder().decode([QueryKey].self, from: encoded) == [key] else {
            return "\(components): not the same after JSON"
        }
        guard QueryKey(stringLiteral: key.queryKeyValue) == key else {
            return "\(components): not the same after printing"
        }
        guard !key.appending("x").isWithin(key.appending("y")), key.appending("x").isWithin(key) else {
            return "\(components): within is wrong"
        }
        let noise = random.text(of: keyPieces, count: 0..<10)
        _ = QueryKey(stringLiteral: noise).components
        _ = try? JSONDecoder().decode([QueryKey].self, from: JSONEncoder().encode([noise]))
        _ = try? JSONDecoder().decode([QueryKey].self, from: Data(random.bytes(random.number(0..<30))))
        return nil
    }

    /// A pattern finds the components of a path that was made for it.
    static func checkPaths(_ random: inout SeededRandom) throws -> String? {
        let names = ["a", "b c", "ü", "42", "%", "x.y", "+", "a&b"]
        let parts = (0..<random.number(1..<5)).map { _ in random.pick(names) }
        let isNamed = parts.map { _ in random.chance(2) }
        let pattern = zip(parts, isNamed).enumerated().map { $1.1 ? ":v\($0)" : $1.0 }.joined(separator: "/")
        guard var url = URL(string: "https://rigs.test") else { throw URLError(.badURL) }
        for part in parts { url.append(component: part) }
        guard let values = PathPattern("/" + pattern).values(in: url) else { return "\(pattern) does not match \(url)" }
        for (place, part) in parts.enumerated() where isNamed[place] && values["v\(place)"] != part {
            return "\(pattern) in \(url): v\(place) is \(values["v\(place)"] ?? "nothing")"
        }
        let pieces = ["/", ":", "*", "**", "a", ":id", "https://", "rigs.test", "?", "#", "%41", "..", ":"]
        let noise = random.text(of: pieces, count: 0..<12)
        _ = PathPattern(noise).values(in: url)
        if let strange = URL(string: random.text(of: pieces, count: 0..<12)) {
            _ = PathPattern(noise).values(in: strange, below: url)
        }
        return nil
    }

    /// Patterns of REST, against the regular expression that says the same.
    static func checkGlobs(_ random: inout SeededRandom) throws -> String? {
        let service = Service(baseURL: "https://rigs.test/", networking: MockTransport(), client: QueryClient())
        let glob = random.text(of: ["a", "b", "?", "*", "/", "/**/", "**"], count: 1..<14)
        let path = random.text(of: ["a", "b", "a/", "b/", "ab"], count: 1..<14)
        guard let url = URL(string: "https://rigs.test/\(path)") else { return nil }
        let found = glob.configurationPattern(for: service)(url)
        let isPlain =
            glob.allSatisfy { "ab?*/".contains($0) } && !glob.contains("***") && !glob.contains("//")
            && !glob.hasPrefix("/")
        guard isPlain, path.allSatisfy({ "ab/".contains($0) }), !glob.contains("?*"), !glob.contains("**/**") else {
            return nil
        }
        // A pattern begins after the slash of the base URL, so a leading `**/` also matches no directory at all.
        let expected = try matches("/\(glob)", "/\(path)")
        return found == expected ? nil : "\(glob) and \(path): \(found) in place of \(expected)"
    }

    private static func matches(_ glob: String, _ path: String) throws -> Bool {
        let expression = glob.replacing("/**/", with: "(S|SAS)").replacing("**", with: "A").replacing(
            "*", with: "[^S]*"
        )
        .replacing("?", with: "[^S]").replacing("A", with: ".*").replacing("S", with: "/")
        let regex = try NSRegularExpression(pattern: "^(?:\(expression))$")
        return regex.firstMatch(in: path, range: NSRange(path.startIndex..., in: path)) != nil
    }

    /// Times in JSON (RFC 3339), written by `DateFormatter`.
    static func checkTimestamps(_ random: inout SeededRandom) throws -> String? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .rfc3339
        let date = Date(timeIntervalSince1970: Double(random.number(-60_000_000_000..<250_000_000_000)))
        let text = HeaderFuzz.text(of: date, "yyyy-MM-dd'T'HH:mm:ss'Z'")
        // Before 1582 the formatter has the calendar of that time.
        if date.timeIntervalSince1970 > -12_000_000_000 {
            let found = try decoder.decode([Date].self, from: JSONEncoder().encode([text]))
            guard found == [date] else { return "\(text): \(found)" }
        }
        let noise = random.text(
            of: ["2026", "-", "01", "99", "T", ":", "Z", "+", "00", ".", "999999999999"], count: 0..<16)
        for text in [random.mutated(text), noise] {
            _ = try? decoder.decode([Date].self, from: JSONEncoder().encode([text]))
        }
        return nil
    }
}
