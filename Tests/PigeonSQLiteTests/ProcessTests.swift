#if os(macOS) || os(Linux)
    import Foundation
    import PigeonCore
    import Testing

    @testable import PigeonSQLite

    private let shell = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3", "/opt/homebrew/bin/sqlite3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Where `sqlite3` is not installed, `SharingTests` shows the same with two instances.
    @Suite("Sharing one file with another process", .enabled(if: shell != nil))
    struct ProcessTests {
        /// Runs SQL in a process of its own, and returns what it complained about.
        private func run(_ sql: String, in file: TestFile) async throws -> String {
            let script = file.directory.appendingPathComponent("\(UUID().uuidString).sql")
            let complaints = file.directory.appendingPathComponent("\(UUID().uuidString).txt")
            try Data(sql.utf8).write(to: script)
            try Data().write(to: complaints)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: try #require(shell))
            process.arguments = ["-batch", file.path]
            process.standardInput = try FileHandle(forReadingFrom: script)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = try FileHandle(forWritingTo: complaints)
            let status = try await withCheckedThrowingContinuation { continuation in
                process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
            let text = try String(contentsOf: complaints, encoding: .utf8)
            return status == 0 ? text : "status \(status): \(text)"
        }

        private func insertions(_ path: String, _ numbers: Range<Int>) -> String {
            numbers.map { number in
                let checksum = Checksum(
                    key: Data("/\(path)/\(number)".utf8), savedAt: 1, schema: 0, freshFor: nil, validators: nil,
                    tags: nil, data: Data(count: 1000))
                return """
                    INSERT INTO records (key, saved_at, schema, is_stale, checksum, data)
                    VALUES (CAST('/\(path)/\(number)' AS BLOB), 1, 0, 0, \(checksum.value), zeroblob(1000));
                    """
            }
            .joined(separator: "\n")
        }

        @Test func `Two processes write at once, nothing is lost, and none is told that the file is locked`()
            async throws
        {
            let file = try TestFile()
            let cache = try file.open()
            let sql = ".timeout 10000\nPRAGMA synchronous = NORMAL;\n" + insertions("process", 0..<3000)
            async let complaints = run(sql, in: file)
            for batch in 0..<60 { try cache.fill("here", batch * 50..<batch * 50 + 50) }
            #expect(try await complaints == "")
            #expect(try cache.records(under: "process").count == 3000)
            #expect(try cache.records(under: "here").count == 3000)
            #expect(cache.takeProblems().isEmpty)
            #expect(try cache.inspect("PRAGMA integrity_check") == ["ok"])
        }

        @Test func `A process that holds the file for a while only makes a write wait`() async throws {
            let file = try TestFile()
            let cache = try file.open()
            let sql = ".timeout 10000\nBEGIN IMMEDIATE;\n\(insertions("process", 0..<5000))\nCOMMIT;"
            async let complaints = run(sql, in: file)
            for number in 0..<200 { try cache.fill("here", number..<number + 1) }
            #expect(try await complaints == "")
            #expect(try cache.count() == 5200)
        }
    }
#endif
