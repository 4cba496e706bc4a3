internal import Foundation
internal import Synchronization

/// This executable, run once more with other arguments, so that the end of that process is a figure and not ours.
///
/// Its output goes to a file. So what the child has written is there however it ended.
final class Child: Sendable {
    enum Ending: Sendable, Equatable, CustomStringConvertible {
        case exit(Int32)
        case signal(Int32)
        case overdue

        var description: String {
            switch self {
            case .exit(let code): "exit code \(code)"
            case .signal(let number): "signal \(number)"
            case .overdue: "no end in time"
            }
        }
    }

    private let process: Process
    private let ending = Mutex<Ending?>(nil)
    private let outputFile: URL
    private let complaintFile: URL

    /// - Parameters:
    ///   - folder: Where the output is kept.
    ///   - authorities: A file that the process, and no other, sees in the place of the system's certificate authorities.
    ///     Needs the rights of the superuser.
    init(_ arguments: [String], in folder: URL, authorities: URL? = nil) throws {
        let name = UUID().uuidString
        outputFile = folder.appendingPathComponent("\(name).out")
        complaintFile = folder.appendingPathComponent("\(name).err")
        try Data().write(to: outputFile)
        try Data().write(to: complaintFile)
        process = Process()
        let rigs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        if let authorities {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            let script = #"mount --bind "$1" /etc/ssl/certs/ca-certificates.crt && shift && exec "$@""#
            process.arguments = ["unshare", "-m", "sh", "-c", script, "sh", authorities.path, rigs.path] + arguments
        } else {
            process.executableURL = rigs
            process.arguments = arguments
        }
        var own = ProcessInfo.processInfo.environment
        // Writing a backtrace takes seconds, and says no more than the signal and the message.
        own["SWIFT_BACKTRACE"] = "enable=no"
        // What it leaves goes with the folder.
        own["TMPDIR"] = folder.path
        process.environment = own
        process.standardInput = FileHandle.nullDevice
        let (output, complaints) = (
            try FileHandle(forWritingTo: outputFile), try FileHandle(forWritingTo: complaintFile)
        )
        // `Process` keeps them for as long as it lives, and crashes once there are more than 1,024 descriptors.
        defer {
            try? output.close()
            try? complaints.close()
        }
        process.standardOutput = output
        process.standardError = complaints
        process.terminationHandler = { [weak self] process in
            let code = process.terminationStatus
            self?.ending.withLock { $0 = process.terminationReason == .exit ? .exit(code) : .signal(code) }
        }
        try process.run()
    }

    deinit {
        try? FileManager.default.removeItem(at: outputFile)
        try? FileManager.default.removeItem(at: complaintFile)
    }

    /// Ends the process at once, as a crash or the system does.
    func kill() { signal(SIGKILL) }

    /// Sends the process a signal.
    func signal(_ number: Int32) { _ = Foundation.kill(process.processIdentifier, number) }

    /// Waits for the end. One that is overdue is killed.
    func wait(upTo limit: Duration) async -> Ending {
        let start = ContinuousClock.now
        var isOverdue = false
        while true {
            if let ending = ending.withLock({ $0 }) { return isOverdue ? .overdue : ending }
            if ContinuousClock.now - start > limit {
                isOverdue = true
                kill()
            }
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    /// The whole lines that the process has printed so far.
    var lines: [String] {
        let text = String(decoding: (try? Data(contentsOf: outputFile)) ?? Data(), as: UTF8.self)
        guard let end = text.lastIndex(of: "\n") else { return [] }
        return text[..<end].split(separator: "\n").map(String.init)
    }

    /// The last of what the process complained about.
    var complaint: String {
        let text = String(decoding: (try? Data(contentsOf: complaintFile)) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").first { $0.contains("Fatal error") || $0.contains("fatal error") }
            .map(String.init) ?? String(text.suffix(300))
    }
}

/// Writes a line to the standard output, past all buffers: it is kept even if the process is killed right after.
func say(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
}
