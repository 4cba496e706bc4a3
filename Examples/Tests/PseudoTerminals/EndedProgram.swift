package import Foundation

/// The output and the exit code of a program that has ended.
package struct EndedProgram {
    package let output: String
    package let errors: String
    package let code: Int32

    /// Runs a program of this package without a terminal until it ends.
    ///
    /// - Parameter environment: Variables in addition to those of the tests.
    /// - Throws: ``TerminalProgram/NotStarted`` if the program was not built.
    package init(
        _ name: String, _ arguments: [String] = [], input: String = "", environment: [String: String] = [:]
    ) async throws {
        guard let program = TerminalProgram.file(of: name) else { throw TerminalProgram.NotStarted() }
        try await self.init(program, arguments, input: input, environment: environment)
    }

    /// Runs a program without a terminal until it ends.
    ///
    /// Its input and output are files: another test's program may hold the other end of a pipe.
    package init(
        _ program: URL, _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(program.lastPathComponent)-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["input", "output", "errors"].map(folder.appendingPathComponent)
        for file in files { try Data((file == files[0] ? input : "").utf8).write(to: file) }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        for await _ in ended {}
        output = try String(contentsOf: files[1], encoding: .utf8)
        errors = try String(contentsOf: files[2], encoding: .utf8)
        code = process.terminationStatus
    }
}
