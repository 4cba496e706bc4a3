internal import Foundation

/// Figures that the system keeps of this process.
enum ProcessFigures {
    /// The most memory that the process has held so far, in bytes.
    static var mostMemory: Int { status("VmHWM:") }

    /// The memory that the process holds, in bytes.
    static var memory: Int { status("VmRSS:") }

    /// The number of open descriptors.
    static var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    /// The time that processors have worked for this process. Unlike a clock, it does not count what other programs take.
    static var processorTime: Duration {
        var usage = rusage()
        getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(.zero) {
            $0 + .seconds($1.tv_sec) + .microseconds(Int64($1.tv_usec))
        }
    }

    /// Makes the most memory that of now.
    static func resetMostMemory() {
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    private static func status(_ field: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(field) }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }
}

/// Sets the soft limit of a resource for this process, and returns the one before.
@discardableResult
func limit(_ resource: __rlimit_resource, to soft: UInt) -> UInt {
    var limits = rlimit()
    getrlimit(Int32(resource.rawValue), &limits)
    let old = limits.rlim_cur
    limits.rlim_cur = soft
    setrlimit(Int32(resource.rawValue), &limits)
    return old
}
