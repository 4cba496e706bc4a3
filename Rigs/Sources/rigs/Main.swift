internal import ArgumentParser

/// Tries to break the library, one promise at a time.
///
/// ```
/// swift run --package-path Rigs rigs crash --seconds 60 --seed 7
/// ```
@main
struct Rigs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rigs", abstract: "Tries to break Pigeon.",
        subcommands: [
            All.self, Crash.self, CrashWriter.self, OutboxKills.self, OutboxProgram.self, Damage.self,
            DamageRounds.self, Hostile.self, HostileProbe.self, TLS.self, TLSProbe.self, Fuzz.self, FuzzCases.self,
            SignOut.self, Faults.self, FleetFaults.self, Soak.self,
        ])
}
