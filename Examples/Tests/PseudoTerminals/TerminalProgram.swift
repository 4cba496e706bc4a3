import Dispatch
package import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A program of this package, running at a pseudo terminal in a process group of its own.
package struct TerminalProgram {
    package enum State: Equatable {
        case stopped
        case exited(Int32)
        case killed(Int32)
    }

    package struct NotStarted: Error {}

    private let process: pid_t

    /// Where a program lies: beside the tests. `nil` where it was not built.
    package static func file(of name: String) -> URL? {
        let candidates =
            Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
            + [Bundle.main.executableURL?.deletingLastPathComponent()].compactMap { $0 }
            + [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
        return candidates.map { $0.appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    package init(_ name: String, _ options: String..., at terminal: PseudoTerminal) throws {
        guard let program = Self.file(of: name) else { throw NotStarted() }
        #if canImport(Darwin)
            var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?)
        #else
            var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        #endif
        posix_spawn_file_actions_init(&actions)
        for file: Int32 in 0...2 { posix_spawn_file_actions_adddup2(&actions, terminal.program, file) }
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = ([program.path] + options).map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [strdup("TERM=xterm"), nil]
        defer { (arguments + environment).forEach { free($0) } }
        var process: pid_t = 0
        guard posix_spawn(&process, program.path, &actions, &attributes, &arguments, &environment) == 0 else {
            throw NotStarted()
        }
        self.process = process
    }

    package func send(_ signal: Int32) {
        kill(process, signal)
    }

    /// Returns when the program has stopped or ended.
    package func change() async -> State {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [process] in
                var status: Int32 = 0
                while waitpid(process, &status, WUNTRACED) < 0, errno == EINTR {}
                let signal = status & 0x7f
                switch signal {
                case 0: continuation.resume(returning: .exited(status >> 8 & 0xff))
                case 0x7f: continuation.resume(returning: .stopped)
                default: continuation.resume(returning: .killed(signal))
                }
            }
        }
    }
}
