import Foundation

/// Runs the program again, with a hidden argument, and reads what it reports.
struct SecondProcess {
    let program: URL
    let arguments: [String]

    /// - Parameters:
    ///   - argument: The hidden argument, with its value.
    ///   - url: The address of the server.
    init(_ program: URL, _ argument: String..., url: URL) {
        self.program = program
        arguments =
            argument + ["--url", url.absoluteString, "--spawned-at", String(Date().timeIntervalSince1970)]
    }

    /// - Parameter signal: The signal by which the process ends. `nil` if it exits.
    func run<Report: Decodable>(killedBy signal: Int32? = nil) async throws -> Report {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.standardOutput = output
        process.arguments = arguments
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        let isKilled = process.terminationReason == .uncaughtSignal
        guard process.terminationStatus == signal ?? 0, isKilled == (signal != nil) else {
            throw DemoFailure.secondProcess(
                "ended with \(isKilled ? "signal" : "status") \(process.terminationStatus)")
        }
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        do {
            return try JSONDecoder().decode(Report.self, from: data)
        } catch {
            throw DemoFailure.secondProcess("reported \(data.count) bytes that do not read")
        }
    }
}
