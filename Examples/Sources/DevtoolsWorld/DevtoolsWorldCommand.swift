import ArgumentParser
import Foundation
import PigeonCore
import PigeonDevtools
import PigeonTesting

/// The command: a small world of server data that never rests, with the devtools to look at it.
@main
struct DevtoolsWorldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devtools-world",
        abstract: "Runs a client that polls, fails, changes and pages, and prints the address of its devtools.")

    @Option(help: ArgumentHelp("The port of the devtools. 0 for any that is free.", valueName: "port"))
    var port = 0

    @Option(help: ArgumentHelp("How many entries the client has besides those of the world.", valueName: "count"))
    var entries = 0

    @Option(help: ArgumentHelp("How many values a second the client is given besides.", valueName: "count"))
    var writes = 0

    @Option(help: ArgumentHelp("How long to run. By default until Ctrl-C.", valueName: "seconds"))
    var seconds: Int?

    @Option(help: ArgumentHelp("Decides what happens, and when.", valueName: "seed"))
    var seed: UInt64 = 1

    @Flag(help: "The world never loses its network, so that the page alone decides whether it is online.")
    var online = false

    @Option(help: ArgumentHelp("Replays a recording of the page, and says what differs.", valueName: "file"))
    var replay: String?

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("a port is from 0 to 65535") }
        guard (0...1_000_000).contains(writes) else {
            throw ValidationError("there are at most 1000000 writes a second")
        }
        guard (0...1_000_000).contains(entries) else { throw ValidationError("there are at most 1000000 entries") }
    }

    func run() async throws {
        if let replay { return print(try Simulation.replay(URL(fileURLWithPath: replay))) }
        let world = try await World.start(seed: seed, staysOnline: online)
        try world.add(entries: entries)
        var options = Devtools.Options()
        options.port = port
        // This program is made to be looked at.
        options.allowsReleaseBuilds = true
        options.hidesKey = { $0.isWithin("session") }
        // PIGEON_DEVTOOLS can name a desk.
        let asked = try await Devtools.startIfRequested(world.client, named: "blog", options: options)
        let devtools =
            if let asked { asked } else { try await Devtools.start(world.client, named: "blog", options: options) }
        devtools.add(world.search, named: "search")
        let storm = Task { [writes] in await world.write(times: writes) }
        let end = seconds.map { ContinuousClock.now.advanced(by: .seconds($0)) }
        await world.live { end.map { ContinuousClock.now < $0 } ?? true }
        storm.cancel()
        await devtools.stop()
        try await world.stop()
    }
}
