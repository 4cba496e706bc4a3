internal import Foundation

/// What the figures were taken on.
struct Machine {
    let processor: String
    let cores: Int
    let memory: UInt64
    let system: String
    let swift: String

    static var current: Machine {
        let process = ProcessInfo.processInfo
        return Machine(
            processor: field("model name", in: "/proc/cpuinfo", separator: ":") ?? "unknown processor",
            cores: process.activeProcessorCount,
            memory: process.physicalMemory >> 30,
            system: field("PRETTY_NAME", in: "/etc/os-release", separator: "=") ?? process.operatingSystemVersionString,
            swift: swiftVersion)
    }

    var lines: String {
        """
        | | |
        |---|---|
        | processor | \(processor), \(cores) cores |
        | memory | \(memory) GB |
        | system | \(system) |
        | Swift | \(swift), release build |
        """
    }

    /// Asked of the compiler that is on the path, as the one that built this.
    private static var swiftVersion: String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swift", "--version"]
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return "unknown" }
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let words = output.split(whereSeparator: \.isWhitespace)
        guard let index = words.firstIndex(of: "version"), index + 1 < words.count else { return "unknown" }
        return String(words[index + 1])
    }

    private static func field(_ name: String, in path: String, separator: Character) -> String? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            guard let value = line.split(separator: separator, maxSplits: 1).last else { continue }
            return value.trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
        }
        return nil
    }
}
