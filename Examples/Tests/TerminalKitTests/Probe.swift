import Dispatch
import Foundation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The probe program, running at a pseudo terminal in a process group of its own.
struct Probe {
    enum State: Equatable {
        case stopped
        case exited(Int32)
        case killed(Int32)
    }

    struct NotStarted: Error {}

    private let process: pid_t

    /// The program lies where the tests do.
    static let program: URL? = {
        let candidates =
            Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
            + [Bundle.main.executableURL?.deletingLastPathComponent()].compactMap { $0 }
            + [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
        return candidates.map { $0.appendingPathComponent("TerminalProbe") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    init(at terminal: PseudoTerminal) throws {
        let program = try #require(Self.program, "there is no probe beside the tests")
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
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program.path), nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [strdup("TERM=xterm"), nil]
        defer { (arguments + environment).forEach { free($0) } }
        var process: pid_t = 0
        guard posix_spawn(&process, program.path, &actions, &attributes, &arguments, &environment) == 0 else {
            throw NotStarted()
        }
        self.process = process
    }

    func send(_ signal: Int32) {
        kill(process, signal)
    }

    /// Returns when the program has stopped or ended.
    func change() async -> State {
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
