internal import ArgumentParser
internal import Foundation

/// Signs a person out while everything is under way, and looks for traces in the bytes of all files.
struct SignOut: Rig {
    static let configuration = CommandConfiguration(
        commandName: "signout",
        abstract: "Signs out while everything is under way: no file has a byte of the person left.")

    @OptionGroup var options: RigOptions

    @concurrent
    static func attack(_ trial: Trial) async throws {
        signal(SIGXFSZ, SIG_IGN)
        for figure in [
            "sign-outs", "files searched", "with traces before", "changes discarded", "traces after",
        ] { trial.count(figure, 0) }
        var round = 0
        while !trial.isOver || round < 2 {
            round += 1
            let session = try await Session(trial: trial, round: round)
            try await session.run()
        }
    }
}
