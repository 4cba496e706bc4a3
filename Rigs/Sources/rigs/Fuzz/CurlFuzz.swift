internal import Foundation
internal import PigeonHTTP
internal import Synchronization

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Printed requests, as people copy and paste them, and the length that a server names.
enum CurlFuzz {
    // MARK: Quoting

    private static let shellPieces = [
        "'", "\\", "\"", "$", "`", ";", "|", "&", "\n", "\t", "\r", "\u{1B}", "\u{9B}", "\u{301}", " ", "#", "!", "a",
        "7",
        "\\'", "; echo INJECTED #", "$(echo INJECTED)", "`echo INJECTED`", "> INJECTED ", "-", "@", "~", "*", "{a,b}",
        "$'",
        "%s", "ü",
    ]

    /// Shells print the words of commands back, and run nothing else. Many commands a shell, as shells are slow to start.
    static func checkQuoting(_ random: inout SeededRandom) throws -> String? {
        guard let url = URL(string: "https://rigs.test/a") else { throw URLError(.badURL) }
        let cases = (0..<40).map { _ in (header: text(&random), body: text(&random)) }
        let commands = cases.map { header, body in
            TransportRequest(
                method: .post, url: url, headers: ["X-Own": "v" + header], body: .data(Data(body.utf8))
            ).curl(showing: [.body, .secrets])
        }
        let expected = cases.map { header, body in
            ["-X", "POST", "https://rigs.test/a", "-H", "X-Own: v" + header, "-H", "Content-Type:", "--data-raw", body]
        }
        for shell in ["/bin/sh", "/bin/bash"] where FileManager.default.isExecutableFile(atPath: shell) {
            let locale = random.pick(["C", "C.UTF-8"])
            if let complaint = try judge(commands, expected, shell, locale: locale) { return complaint }
        }
        return nil
    }

    private static func text(_ random: inout SeededRandom) -> String {
        // A text with NUL is no argument of a command.
        random.text(of: shellPieces, count: 0..<12).replacing("\0", with: "")
    }

    private static func judge(
        _ commands: [String], _ expected: [[String]], _ shell: String, locale: String
    ) throws -> String? {
        let script = "curl() { printf '%s\\0' \"$@\"; printf '\\1\\0'; }\nprintf '%s\\0' $'a'\n"
        let (output, complaints) = try run(script + commands.joined(separator: "\n") + "\n", shell, locale: locale)
        guard complaints.isEmpty else { return "\(shell) says \(complaints.prefix(300)): \(commands)" }
        var words = output.split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
        // A shell that does not know the form for control characters shows them as escapes.
        let knowsEscapes = words.removeFirst() == Array("a".utf8)
        let answers = words.split(separator: [1], omittingEmptySubsequences: false).map(Array.init)
        guard answers.count == commands.count + 1, answers.last == [[]] else {
            return "\(shell) ran \(answers.count - 1) of \(commands.count) commands: \(commands)"
        }
        for (command, (found, wanted)) in zip(commands, zip(answers, expected)) {
            let isRight =
                found.count == wanted.count
                && zip(found, wanted).allSatisfy { found, wanted in
                    let isEscaped = wanted.unicodeScalars.contains { $0.properties.generalCategory == .control }
                    return found == Array(wanted.utf8)
                        || isEscaped && !knowsEscapes && found.first == UInt8(ascii: "$")
                }
            let texts = found.map { String(decoding: $0, as: UTF8.self) }
            guard isRight else { return "\(shell), \(locale): \(command.debugDescription) is \(texts)" }
        }
        return nil
    }

    /// Runs a script where it finds no program and an empty folder.
    ///
    /// - Returns: What it wrote, and what it complained of, which includes files that it made.
    private static func run(_ script: String, _ shell: String, locale: String) throws -> ([UInt8], String) {
        let (home, outside) = (try Folder(), try Folder())
        let (scriptFile, errorFile) = (outside.file("script"), outside.file("errors"))
        try Data(script.utf8).write(to: scriptFile)
        try Data().write(to: errorFile)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: shell)
        process.arguments = [scriptFile.path]
        process.environment = ["PATH": "/nowhere", "LC_ALL": locale]
        process.currentDirectoryURL = home.url
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = try FileHandle(forWritingTo: errorFile)
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let made = try FileManager.default.contentsOfDirectory(atPath: home.url.path).map { "made the file \($0)" }
        let errors = String(decoding: try Data(contentsOf: errorFile), as: UTF8.self)
        return (Array(output), (made + [errors]).joined())
    }

    // MARK: Addresses

    private static let secretNames = ["token", "API_KEY", "code", "X-Amz-Signature", "password", "sid", "jwt"]
    private static let openNames = ["page", "q", "a b", "ü", "sort"]

    /// No secret of an address is shown, however it is written; the rest of its query is.
    static func checkAddresses(_ random: inout SeededRandom) throws -> String? {
        var open: [String] = []
        var query = ""
        for (place, mark) in ["%3F", "?"].enumerated() where place == 1 || random.chance(2) {
            query += place == 1 ? mark : random.pick(["%3F", "%3f", "%253F", "%25253f", "%23"])
            let items = (0..<random.number(0..<5)).map { number in
                item(&random, visible: "seen\(place)\(number)", isReal: place == 1, open: &open)
            }
            query += items.joined(separator: random.pick(["&", ";"]))
        }
        let user = random.pick(["", "", "hush@", "me:hush@", "me:hu%3Fhush@", "hush%3a%40hush:@"])
        let address = "https://\(user)rigs.test/\(random.pick(["", "x", "x/y", "%41"]))\(query)#hush"
        guard let url = URL(string: address) else { return "\(address) is no address" }
        let answer = try Response<Data?>.makeMockResponse(
            with: URLRequest(url: url), statusCode: .found,
            headers: ["Location": random.chance(2) ? address : String(address.dropFirst(6))])
        let shown = answer.dump()
        let whole = [shown, URLRequest(url: url).curl() ?? "", "\(TransportRequest(method: .get, url: url))"]
        if whole.contains(where: { $0.contains("hush") }) { return "\(address) is shown as \(whole)" }
        if let lost = open.first(where: { !shown.contains($0) }) {
            return "\(address) is shown without \(lost): \(shown)"
        }
        // Nonsense is shown somehow.
        let noise = random.text(
            of: ["%", "25", "3F", "?", "&", "=", "#", "//", "@", "token", "%3D", "a"], count: 0..<30)
        _ = try? Response<Data?>.makeMockResponse(
            with: URLRequest(url: url), statusCode: .found,
            headers: ["Location": noise.filter { $0.isASCII && !"\r\n\0".contains($0) && $0 != "\r\n" }]
        ).dump()
        return nil
    }

    private static func item(
        _ random: inout SeededRandom, visible: String, isReal: Bool, open: inout [String]
    ) -> String {
        let value = random.pick(["", "a", "%26b=1", "%2F", "=", "%3D", "/x", isReal ? "?y" : "z"])
        guard random.chance(2) else {
            let hidden = escaped(random.pick(secretNames), &random) + random.pick(["=", "=", "%3D", "%253d"])
            // Some go in the address that is the value of another item.
            let outer = random.chance(4) ? "to=https%3A%2F%2Fg%2F%3Fa%3D1%26" : ""
            return outer + hidden + "hush" + value + "hush"
        }
        open.append(visible)
        let name = escaped(random.pick(openNames), &random)
        return random.chance(5) ? visible : "\(name)=\(visible)\(value)"
    }

    /// The text with some of its bytes written as escapes, and those that must be.
    private static func escaped(_ text: String, _ random: inout SeededRandom) -> String {
        text.utf8.map { byte in
            let isPlain = byte > 0x20 && byte < 0x7F
            guard !isPlain || random.chance(4) else { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: random.chance(2))
            return (random.chance(5) ? "%25" : "%") + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }

    // MARK: Lengths

    /// A length is read as a regular expression and decimals read it, and as none where they find none.
    static func checkLengths(_ random: inout SeededRandom) async throws -> String? {
        let number = random.pick([
            "0", "5", "05", "\(random.number(0..<100_000))", "9223372036854775807", "9223372036854775808",
            "99999999999999999999999",
        ])
        let lists = [number, "\(number), \(number)", "\(number),\(number)\t,0\(number)", "\(number), 7", " \(number) "]
        let sound = random.pick(lists)
        let text =
            random.chance(2)
            ? sound
            : random.mutated(
                random.chance(3)
                    ? random.text(of: ["1", "0", ",", " ", "\t", "+", "-", "x", "\u{A0}"], count: 0..<9) : sound)
        let found = try await length(of: text)
        let expected = try secondReading(of: text)
        return found == expected
            ? nil
            : "Content-Length: \(text.debugDescription): \(String(describing: found)), not \(String(describing: expected))"
    }

    private static func secondReading(of text: String) throws -> Int64? {
        let list = try NSRegularExpression(pattern: #"\A[ \t]*[0-9]+[ \t]*(,[ \t]*[0-9]+[ \t]*)*\z"#)
        let digits = try NSRegularExpression(pattern: "[0-9]+")
        let whole = NSRange(location: 0, length: text.utf16.count)
        guard list.firstMatch(in: text, range: whole) != nil else { return nil }
        let numbers = digits.matches(in: text, range: whole).map {
            NSDecimalNumber(string: (text as NSString).substring(with: $0.range))
        }
        let most = NSDecimalNumber(value: Int64.max)
        guard let first = numbers.first, numbers.allSatisfy({ $0 == first }), first.compare(most) != .orderedDescending
        else { return nil }
        return first.int64Value
    }

    /// The length that a download reports before the first byte.
    private static func length(of text: String) async throws -> Int64? {
        let mock = MockTransport()
        var headers = HTTPHeaders()
        headers.add(text, for: "Content-Length")
        let sent = headers
        mock.answer(.get, "/file") { _, _ in .pieces([], headers: sent) }
        let reports = Mutex<[TransferProgress]>([])
        let folder = try Folder()
        _ = try? await dispatcher(over: mock).download(from: .get("/file"), to: folder.file("file")) { progress in
            reports.withLock { $0.append(progress) }
        }
        guard let first = reports.withLock({ $0.first }) else { throw URLError(.badServerResponse) }
        return first.expectedToReceive
    }
}
