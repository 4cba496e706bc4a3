internal import Foundation
internal import PigeonCore
internal import PigeonHTTP
internal import PigeonREST

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Where answers lead, and what their content is: redirects, links, pictures, types, JSON.
enum AnswerFuzz {
    // MARK: Redirects

    /// A redirect leads where RFC 9110 and RFC 3986 say, by the method that they say, and takes secrets to no other origin.
    static func checkRedirects(_ random: inout SeededRandom) async throws -> String? {
        let host = random.pick(["rigs.test", "RIGS.test", "other.test", "rigs.test:8443", "rigs.test.other.test"])
        let place = random.pick(["b", "b/c", "b?x=1", "b?x=%2F&y"])
        let locations = [
            "/\(place)": "https://rigs.test/\(place)", place: "https://rigs.test/a/\(place)",
            "../\(place)": "https://rigs.test/\(place)", "//\(host)/\(place)": "https://\(host)/\(place)",
            "https://\(host)/\(place)": "https://\(host)/\(place)",
            "http://\(host)/\(place)": "http://\(host)/\(place)",
        ]
        let location = random.pick(locations.keys.sorted())
        let method = random.pick([HTTPMethod.get, .head, .post, .put, .delete])
        let status = random.pick([301, 302, 303, 307, 308])
        let asksByGet = status == 303 ? method != .head : status < 303 && method == .post
        let sent = try await requests(by: method, to: location, status)
        let text = "\(method.rawValue) answered by \(status), Location: \(location)"
        guard sent.count == 2, let last = sent.last else { return "\(text): \(sent.count) requests" }
        guard last.url.absoluteString.lowercased() == locations[location]?.lowercased(), !isSabotaged else {
            return "\(text): asked for \(last.url)"
        }
        guard last.method == (asksByGet ? .get : method) else { return "\(text): by \(last.method.rawValue)" }
        let isSame = last.url.scheme == "https" && last.url.host?.lowercased() == "rigs.test" && last.url.port == nil
        let secrets = ["Cookie", "X-Session", "X-Api-Key", "Authorization"].filter { last.headers[$0] != nil }
        guard isSame == !secrets.isEmpty, last.headers["Accept-Language"] == "de" else {
            return "\(text): \(secrets) went to \(last.url)"
        }
        return try await checkNoise(random.mutated(location), method, status)
    }

    private static func checkNoise(_ location: String, _ method: HTTPMethod, _ status: Int) async throws -> String? {
        let location = location.filter { $0 != "\r" && $0 != "\n" && $0 != "\r\n" && $0 != "\0" }
        for request in try await requests(by: method, to: location, status).dropFirst() {
            let scheme = request.url.scheme?.lowercased()
            let isSame =
                scheme == "https" && request.url.host?.lowercased() == "rigs.test"
                && [nil, 443].contains(request.url.port)
            guard scheme == "https" || scheme == "http", isSame || request.headers["X-Session"] == nil else {
                return "Location: \(location.debugDescription): asked for \(request.url) with \(request.headers)"
            }
        }
        return nil
    }

    private static func requests(by method: HTTPMethod, to location: String, _ status: Int) async throws
        -> [MockRequest]
    {
        let mock = MockTransport()
        mock.answer(nil, "**") { _, _ in .text("hello") }
        mock.answer(
            nil, "/a/start", with: .status(StatusCode(rawValue: status), headers: ["Location": location]),
            then: .text("hello"))
        var policy = HTTPPolicy()
        policy.headers = ["X-Api-Key": "secret"]
        policy.authorization = TokenAuthorization(token: "secret") { _ in "secret" }
        let request = BasicRequest(
            method: method, path: "/a/start",
            headers: ["Cookie": "a=b", "X-Session": "secret", "Accept-Language": "de"])
        _ = try? await dispatcher(over: mock, policy: policy).response(from: request)
        return mock.requests
    }

    // MARK: Links

    /// Addresses of REST, against RFC 3986's own algorithm and Foundation's `URLComponents`.
    static func checkReferences(_ random: inout SeededRandom) throws -> String? {
        let service = Service(baseURL: "https://rigs.test/", networking: MockTransport(), client: QueryClient())
        let base = service.resource(absoluteURL: "https://rigs.test/a/b/c?x=1")
        let segments = (0..<random.number(0..<7)).map { _ in
            random.pick(["d", "e;f", "..", ".", "...", "g.h", "%C3%BC"])
        }
        let isAbsolute = random.chance(3)
        let path = (isAbsolute ? "/" : "") + segments.joined(separator: "/")
        let query = random.pick(["", "?", "?y=2", "?y=%26/../"])
        let href = path + query + random.pick(["", "#z", "#/../?"])
        let target =
            path.isEmpty
            ? "/a/b/c\(query.isEmpty ? "?x=1" : query)"
            : withoutDots(isAbsolute ? path : "/a/b/\(path)") + query
        let found = base.relative(href).url.absoluteString
        guard found == "https://rigs.test\(target)" else { return "\(href): \(found) in place of \(target)" }
        return checkChildren(base, &random) ?? checkParameters(base, &random)
            ?? checkStrange(service, base, &random)
    }

    /// As RFC 3986, 5.2.4 has it: from one buffer into another.
    private static func withoutDots(_ path: String) -> String {
        var (input, output) = (path, "")
        while !input.isEmpty {
            if input.hasPrefix("/./") || input == "/." {
                input = "/" + input.dropFirst(3)
            } else if input.hasPrefix("/../") || input == "/.." {
                input = "/" + input.dropFirst(4)
                output = output.lastIndex(of: "/").map { String(output[..<$0]) } ?? ""
            } else {
                let segment = "/" + input.dropFirst().prefix { $0 != "/" }
                output += segment
                input.removeFirst(segment.count)
            }
        }
        return output
    }

    private static let names = ["d", "é", "a b", "%41", "?", "#", "&", "=", "+", ":", "@", "%", ";"]

    private static func checkChildren(_ base: Resource, _ random: inout SeededRandom) -> String? {
        let name = (0..<random.number(1..<6)).map { _ in random.pick(names) }.joined()
        let url = base.child(name).url
        let parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        guard parts?.path == "/a/b/c/\(name)", parts?.query == "x=1" else { return "child \(name): \(url)" }
        return nil
    }

    private static func checkParameters(_ base: Resource, _ random: inout SeededRandom) -> String? {
        let name = (0..<random.number(1..<4)).map { _ in random.pick(names) }.joined()
        let values = (0..<random.number(0..<4)).map { _ in random.pick(names) + random.pick(names) }
        let url = base.withParam(name, values: values).url
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        guard items.filter({ $0.name == name }).map({ $0.value }) == values, items.contains(where: { $0.name == "x" })
        else { return "parameter \(name) of \(values): \(url)" }
        let without = base.withParam(name, values: values).withParam(name, nil).url
        return without == base.url ? nil : "\(without) after \(name) was removed"
    }

    /// Text that is not an address is rejected. An address names the same resource when it is parsed again.
    private static func checkStrange(_ service: Service, _ base: Resource, _ random: inout SeededRandom) -> String? {
        let pieces = [
            "http:", "//", "/", "..", "[", "]", ":", "@", "%", "%zz", "?", "#", "a", "rigs.test", " ", "é", "\\",
        ]
        let text = random.text(of: pieces, count: 0..<12)
        let found = [
            base.relative(text), base.child(text), base.withParam(text, text), service.resource(absoluteURL: text),
            service.resource(text),
        ]
        for resource in found {
            let again = service.resource(absoluteURL: resource.url.absoluteString)
            if again.url.absoluteString != resource.url.absoluteString, resource.url.host != nil {
                return "\(text.debugDescription): \(resource.url) is \(again.url) when it is read again"
            }
        }
        return nil
    }

    // MARK: Content

    static func checkContents(_ random: inout SeededRandom) async throws -> String? {
        if let complaint = checkPictures(&random) ?? checkCasts(&random) { return complaint }
        if let complaint = try await checkTypes(&random) { return complaint }
        return try await checkJSON(&random)
    }

    /// The first bytes of pictures, against an expression over their digits.
    private static func checkPictures(_ random: inout SeededRandom) -> String? {
        let starts = [
            "\u{89}PNG\r\n\u{1A}\n", "\u{FF}\u{D8}\u{FF}", "GIF87a", "GIF89a", "RIFF1234WEBP", "BM", "II*\0", "MM\0*",
            "1234ftypheic", "1234ftypmif1", "1234ftypmp42",
        ]
        var bytes = random.pick(starts).unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        if random.chance(2) { bytes[random.number(0..<bytes.count)] = UInt8(random.number(0..<256)) }
        if random.chance(3) { bytes = Array(bytes.prefix(random.number(1..<14))) }
        if random.chance(2) { bytes += random.bytes(random.number(0..<20)) }
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let expression =
            "^(89504e470d0a1a0a|ffd8ff|47494638(37|39)61|52494646.{8}57454250|424d|49492a00|4d4d002a|.{8}66747970"
            + "(68656963|68656978|68657663|68657678|6865696d|68656973|6d696631|6d736631))"
        let isPicture = digits.range(of: expression, options: .regularExpression) != nil
        let entity = Entity<any Sendable>(content: Data(bytes), contentType: "image/png")
        let isFound = if case .success = ImageResponseTransformer().process(.success(entity)) { true } else { false }
        return isFound == isPicture ? nil : "\(digits) is \(isFound ? "a" : "no") picture"
    }

    private static func checkCasts(_ random: inout SeededRandom) -> String? {
        let number: Int? = random.chance(3) ? nil : random.number(0..<100)
        let nested: Int?? = random.chance(4) ? nil : number
        let entity = Entity<any Sendable>(content: nested as any Sendable, headers: [:])
        let expected = nested.flatMap { $0 }
        guard entity.typedContent() as Int? == expected, entity.typedContent() as String? == nil,
            entity.typedContent(ifNone: -1) == expected ?? -1
        else { return "\(String(describing: nested)): \(String(describing: entity.typedContent() as Int?))" }
        return nil
    }

    /// Marks what it has seen.
    private struct Marker: ResponseTransformer {
        func process(_ response: PigeonREST.Response) -> PigeonREST.Response {
            .success(Entity(content: "seen", contentType: "text/plain"))
        }
    }

    /// Patterns of content types, against a comparison piece by piece.
    private static func checkTypes(_ random: inout SeededRandom) async throws -> String? {
        let patterns = ["application/json", "application/*+json", "*/json", "text/*", "TEXT/html"]
        let pattern = random.pick(patterns)
        let type =
            random.pick(["application", "text", "Text", "x"]) + "/"
            + random.pick(["json", "a+json", "HTML", "+json", "j"])
        let header = random.pick(["", " "]) + type + random.pick(["", ";charset=utf-8", " ; a=\"b\""])
        let service = service(answering: .data(Data("1".utf8), headers: ["Content-Type": header]), [])
        service.configure { $0.pipeline[.parsing].add(Marker(), contentTypes: [pattern]) }
        let isSeen = try await service.resource("/x").loaded().content is String
        var rest = type.lowercased()[...]
        let pieces = pattern.lowercased().split(separator: "*", omittingEmptySubsequences: false)
        var isMeant = rest.hasPrefix(pieces[0])
        rest = rest.dropFirst(pieces[0].count)
        if pieces.count > 1 {
            isMeant = isMeant && rest.hasSuffix(pieces[1])
        } else {
            isMeant = isMeant && rest.isEmpty
        }
        guard isSeen == isMeant else { return "\(header) and \(pattern): \(isSeen)" }
        let strange = random.mutated(header).filter { $0.isASCII && $0 != "\r" && $0 != "\0" && $0 != "\r\n" }
        let other = self.service(answering: .data(Data("1".utf8), headers: ["Content-Type": strange]), [.json, .text])
        let strangePattern = random.mutated(pattern)
        other.configure { $0.pipeline[.parsing].add(Marker(), contentTypes: [strangePattern]) }
        _ = try? await other.resource("/x").loaded()
        return nil
    }

    /// JSON is what it was written from, and a broken text is an error or something.
    private static func checkJSON(_ random: inout SeededRandom) async throws -> String? {
        let tree = tree(&random, depth: 0)
        let text = try JSONSerialization.data(withJSONObject: ["a": tree], options: [.sortedKeys, .fragmentsAllowed])
        let service = service(answering: .data(text, headers: ["Content-Type": "application/json"]), [.json])
        let found = try await service.resource("/x").loaded()
        let again = try JSONSerialization.data(withJSONObject: found.jsonDict, options: .sortedKeys)
        guard again == text else { return "\(Array(text).debugText) became \(Array(again).debugText)" }
        var broken = Array(text)
        for _ in 0..<random.number(1..<4) { broken[random.number(0..<broken.count)] = UInt8(random.number(0..<256)) }
        let other = self.service(
            answering: .data(Data(broken), headers: ["Content-Type": "application/json"]), [.json])
        _ = try? await other.resource("/x").loaded().jsonArray
        return nil
    }

    private static func tree(_ random: inout SeededRandom, depth: Int) -> Any {
        switch random.number(0..<(depth > 3 ? 5 : 7)) {
        case 0: return random.number(-1000..<1_000_000)
        case 1: return Double(random.number(-1000..<1000)) / 8
        case 2: return random.chance(2)
        case 3: return NSNull()
        case 4:
            // `JSONSerialization` of Linux drops a byte order mark that follows an escape.
            return random.text(of: ["a", "\"", "\\", "é", "\n", "/"], count: 0..<6).replacing("\u{FEFF}", with: "")
        case 5:
            var values: [Any] = []
            for _ in 0..<random.number(0..<4) { values.append(tree(&random, depth: depth + 1)) }
            return values
        default:
            var values: [String: Any] = [:]
            for number in 0..<random.number(0..<4) { values["k\(number)"] = tree(&random, depth: depth + 1) }
            return values
        }
    }

    private static func service(answering answer: MockAnswer, _ transformers: [StandardTransformer]) -> Service {
        let mock = MockTransport()
        mock.answer(.get, "/x", with: answer)
        return Service(
            baseURL: "https://rigs.test/", standardTransformers: transformers, networking: mock, client: QueryClient(),
            callbacks: .immediate)
    }
}
