#if os(Linux) || os(macOS)
    import Foundation
    import TestSupport
    import Testing

    /// The commands of the Makefile install what they need, and only that.
    @Suite("Commands")
    struct CommandsTests {
        /// The targets of the Makefile that run a program of this repository.
        private static let targets = Result {
            let makefile = try String(contentsOf: Page.root.appendingPathComponent("Makefile"), encoding: .utf8)
            return makefile.matches(of: /^([a-z][\w-]*):(?!=)/.anchorsMatchLineEndings()).map { String($0.output.1) }
                .filter { !["clean", "format", "hooks", "setup"].contains($0) }
        }

        @Test(.rule("K34")) func `each command installs what it needs, and only that`() throws {
            let targets = try Self.targets.get()
            #expect(targets.contains("demo") && targets.contains("test") && targets.count > 20)
            for target in targets {
                let commands = try Self.run(["make", "-n", "-s", target])
                let installed = Self.words(of: commands, after: "./scripts/setup")
                #expect(installed.sorted() == Self.needs(of: try Self.code(of: commands)).sorted(), "make \(target)")
            }
        }

        @Test(.rule("K34")) func `the demo installs neither Redis nor hiredis, zlib or OpenSSL`() throws {
            #expect(Self.words(of: try Self.run(["make", "-n", "-s", "demo"]), after: "./scripts/setup") == ["sqlite"])
        }

        @Test(.rule("K34")) func `Redis is installed without a service`() throws {
            #expect(try Self.run(["./scripts/setup", "--packages", "redis"]) == "redis-tools\n")
        }

        @Test(.rule("K34")) func `each need has a package, and an unknown one is an error`() throws {
            for target in try Self.targets.get() {
                let needs = Self.words(of: try Self.run(["make", "-n", "-s", target]), after: "./scripts/setup")
                #expect(!needs.isEmpty, "make \(target)")
                #expect(
                    try Self.run(["./scripts/setup", "--packages"] + needs).split(separator: "\n").count >= needs.count)
            }
            #expect(throws: Failure.self) { try Self.run(["./scripts/setup", "--packages", "reddis"]) }
        }

        @Test(.rule("K34")) func `a Mac has, or Homebrew has, what the commands of its workflow need`() throws {
            let file = Page.root.appendingPathComponent(".github/workflows/apple.yml")
            let workflow = try String(contentsOf: file, encoding: .utf8)
            let targets = workflow.matches(of: /- run: make ([\w-]+)/).map { String($0.output.1) }
            #expect(targets.contains("test-library"))
            for target in targets {
                let needs = Self.words(of: try Self.run(["make", "-n", "-s", target]), after: "./scripts/setup")
                #expect(throws: Never.self, "make \(target)") {
                    try Self.run(["./scripts/setup", "--formulae"] + needs)
                }
            }
            #expect(throws: Failure.self) { try Self.run(["./scripts/setup", "--formulae", "chromium"]) }
        }

        @Test(.rule("K34")) func `on a Mac, Homebrew installs what is missing, and without it the command ends`() throws
        {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mac-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("opt"), withIntermediateDirectories: true)
            func program(_ name: String, _ text: String) throws {
                let file = folder.appendingPathComponent(name)
                try "#!/bin/sh\n\(text)\n".write(to: file, atomically: true, encoding: .utf8)
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
            }
            let setup = ["env", "PATH=\(folder.path):/usr/bin:/bin", "./scripts/setup", "sqlite", "hiredis", "zlib"]
            try program("uname", "echo Darwin")
            try program("swift", "")
            #expect(throws: Failure.self) { try Self.run(setup) }
            try program("brew", "[ $1 = --prefix ] && echo '\(folder.path)' || echo \"brew $*\"")
            let said = "setup: installing with Homebrew: hiredis\nbrew install --quiet --formula hiredis\n"
            #expect(try Self.run(setup) == said)
            try program("opt/hiredis", "")
            #expect(try Self.run(setup) == "")
        }

        @Test(
            .rule("K35"),
            arguments: [
                (0.9, "{'redis': 0.02}", "set()", "(at most 1)", true),
                (6.21, "{'redis': 0.02}", "set()", "(at most 1)", false),
                (6.21, "{'gateway-1': 0.02}", "{'gateway-1'}", "(at most 1)", false),
                (6.21, "{'gateway-1': 2.3, 'redis': 0.1}", "{'gateway-2'}", "(at most 12.30)", true),
                (2.5, "{'gateway-1': 2}", "set()", "(at most 3.00)", true),
                (3.5, "{'redis': 2}", "set()", "(at most 3.00)", false),
            ])
        func `the rig of the gateway says which process did not answer, and judges by that`(
            late: Double, stalled: String, lost: String, limit: String, holds: Bool
        ) throws {
            let program =
                "import runpy; print(*runpy.run_path('scripts/gateway')['verdict'](\(late), \(stalled), \(lost)))"
            let said = try Self.run(["python3", "-c", program])
            #expect(said.hasSuffix("\(limit) \(holds ? "True" : "False")\n"), "\(said)")
            #expect(said.contains("did not answer for up to") == (limit != "(at most 1)"), "\(said)")
        }

        /// What commands use, as their code says.
        private static func needs(of code: String) -> Set<String> {
            func has(_ pattern: String) -> Bool { code.range(of: pattern, options: .regularExpression) != nil }
            var needs: Set<String> = []
            if has("#!/usr/bin/env python3|python3 -m venv") { needs.insert("python3") }
            if has("swift (build|run|test)|diagnose-api|build-without-warnings") { needs.insert("sqlite") }
            if has(#"\bRedis,|--package-path (Benchmarks|Rigs) |--package-path Examples .*--product gateway"#)
                || has("--build-tests --package-path Examples")
            {
                needs.formUnion(["hiredis", "zlib"])
            }
            if has("AsyncHTTPClient") { needs.insert("zlib") }
            if has(#"redis-server|test-within \d+ swift test .*\bRedis,|--filter Redis|release/(load|rigs|bench --)"#) {
                needs.insert("redis")
            }
            if has("release/rigs|RedisTLS") { needs.insert("openssl") }
            if has("RedisTLS") { needs.insert("libssl") }
            if has("release/load") { needs.insert("wrk") }
            if has("node --test") { needs.insert("node") }
            if has("DevtoolsPage/check.py") { needs.insert("chromium") }
            if has("python3 -m venv") { needs.insert("venv") }
            return needs
        }

        /// The commands, and the scripts that they run, without comments. Those in Python build nothing that needs a library: of them,
        /// only their first line counts, and whether they start a Redis.
        private static func code(of commands: String) throws -> String {
            let lines = commands.split(separator: "\n").filter { !$0.contains("scripts/setup") && !$0.hasPrefix("#") }
            let scripts = Set(lines.flatMap { $0.matches(of: /\.\/scripts\/[\w-]+/).map { String($0.output) } })
            let texts = try scripts.sorted().map { script in
                let text = try String(contentsOf: Page.root.appendingPathComponent(script), encoding: .utf8)
                guard !text.hasPrefix("#!/usr/bin/env python3") else {
                    return "#!/usr/bin/env python3" + (text.contains("\"redis-server\"") ? "\nredis-server" : "")
                }
                let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("#") }
                return code.joined(separator: "\n")
            }
            return (lines.map(String.init) + texts).joined(separator: "\n")
        }

        private static func words(of commands: String, after program: String) -> Set<String> {
            Set(
                commands.split(separator: "\n").filter { $0.hasPrefix(program) }
                    .flatMap { $0.split(separator: " ").dropFirst().map(String.init) })
        }

        private struct Failure: Error {
            let command: [String]
        }

        /// The output of a command, which runs in the package's folder.
        private static func run(_ command: [String]) throws -> String {
            let (process, output) = (Process(), Pipe())
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = command
            process.currentDirectoryURL = Page.root
            process.standardOutput = output
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw Failure(command: command) }
            return String(decoding: data, as: UTF8.self)
        }
    }
#endif
