import Foundation

/// Runs the program again, with a hidden argument, and reads what it reports.
struct SecondProcess {
    let program: URL
    let file: URL
    let url: URL

    func run() async throws -> SecondStart.Report {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.standardOutput = output
        process.arguments = [
            "--second-start", file.path, "--url", url.absoluteString,
            "--spawned-at", String(Date().timeIntervalSince1970),
        ]
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else { throw DemoFailure.secondProcess("ended with status \(status)") }
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        do {
            return try JSONDecoder().decode(SecondStart.Report.self, from: data)
        } catch {
            throw DemoFailure.secondProcess("reported \(data.count) bytes that do not read")
        }
    }
}
