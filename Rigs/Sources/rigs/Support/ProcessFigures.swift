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
