internal import ArgumentParser
internal import Foundation
internal import NIOSSL

/// Asks servers with good and bad certificates, and servers that lead away from TLS.
struct TLS: Rig {
    static let configuration = CommandConfiguration(
        commandName: "tls",
        abstract: "Shows certificates, good and bad: secrets go to the right server only, and never by plain text.")

    @OptionGroup var options: RigOptions

    @concurrent
    static func attack(_ trial: Trial) async throws {
        for figure in ["requests", "secrets sent elsewhere"] { trial.count(figure, 0) }
        repeat {
            let scene = try await TLSScene(trial)
            try await scene.run()
            await scene.stop()
        } while !trial.isOver
    }
}

/// The servers of one pass, each with an identity of its own.
struct TLSScene {
    private let trial: Trial
    private let folder = try? Folder()
    private let authorityFile: URL
    private let pinnedFile: URL
    private let servers: [(name: String, server: RawServer)]
    private let http2: HTTP2Server
    private let plain: RawServer

    init(_ trial: Trial) async throws {
        self.trial = trial
        guard let folder else { throw CocoaError(.fileWriteUnknown) }
        let authority = try Identity.authority(in: folder)
        let pinned = try Identity.server(host: "localhost", signedBy: nil, in: folder)
        authorityFile = authority.certificate
        pinnedFile = pinned.certificate
        let plain = try await RawServer { _, wire in try await Self.greet(wire) }
        self.plain = plain
        let identities: [(String, Identity)] = [
            ("good", try .server(host: "localhost", signedBy: authority, in: folder)),
            ("wrong host", try .server(host: "other.test", signedBy: authority, in: folder)),
            ("expired", try .server(host: "localhost", validFor: -10 ... -1, signedBy: authority, in: folder)),
            ("not yet valid", try .server(host: "localhost", validFor: 1...10, signedBy: authority, in: folder)),
            ("self-signed", try .server(host: "localhost", signedBy: nil, in: folder)),
            ("another authority", try .server(host: "localhost", signedBy: .authority(in: folder), in: folder)),
            ("pinned", pinned),
        ]
        var servers: [(String, RawServer)] = []
        for (name, identity) in identities {
            let port = plain.port
            let server = try await RawServer(tls: identity.context(protocols: ["http/1.1"])) { request, wire in
                guard request.path == "/down" else { return try await Self.greet(wire) }
                let location = "http://localhost:\(port)/taken"
                try await wire.send("HTTP/1.1 307 Moved\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
            }
            servers.append((name, server))
        }
        self.servers = servers
        http2 = try await HTTP2Server(tls: identities[0].1.context(protocols: ["h2"]))
    }

    func stop() async {
        for (_, server) in servers { await server.stop() }
        await plain.stop()
        await http2.stop()
    }

    func run() async throws {
        for client in TLSClient.allCases {
            for (name, server) in servers { try await judge(client, name, server) }
            try await judgePlainPort(client)
            if client.trustsAuthority { try await judgeDowngrade(client) }
        }
        try await judgeHTTP2()
    }

    // MARK: Certificates

    /// A server whose certificate is not good for the client must not be sent anything.
    private func judge(_ client: TLSClient, _ name: String, _ server: RawServer) async throws {
        let before = server.requests.count
        guard let outcomes = try await ask("https://localhost:\(server.port)/", client, name) else { return }
        let isGood =
            (name == "good" && client.trustsAuthority) || (name == "pinned" && client == .pinned) != isSabotaged
        for (verb, outcome) in outcomes {
            trial.count(isGood ? "answered" : "refused")
            if isGood, outcome != "ok 200" { trial.violate("\(name), \(client): \(verb) ended with \(outcome)") }
            if !isGood { judgeRefusal(outcome, "\(name), \(client): \(verb)") }
        }
        guard !isGood, server.requests.count > before else { return }
        trial.count("secrets sent elsewhere")
        trial.violate("\(name), \(client): the server was sent a request, with its secrets")
    }

    /// A refusal has a code that names TLS or the connection.
    private func judgeRefusal(_ outcome: String, _ name: String) {
        guard outcome.hasPrefix("URLError "), outcome != "URLError -1", outcome != "URLError -1001" else {
            return trial.violate("\(name) ended with \(outcome)")
        }
    }

    /// A server that speaks no TLS, asked by https.
    private func judgePlainPort(_ client: TLSClient) async throws {
        let before = plain.requests.count
        let outcomes = try await ask("https://localhost:\(plain.port)/", client, "plain port") ?? []
        for (verb, outcome) in outcomes { judgeRefusal(outcome, "plain port, \(client): \(verb)") }
        if plain.requests.count > before { trial.violate("plain port, \(client): the request was sent as plain text") }
    }

    /// A redirect from https to http takes no secret along.
    private func judgeDowngrade(_ client: TLSClient) async throws {
        guard let good = servers.first(where: { $0.name == "good" })?.server else { return }
        let before = plain.requests.count
        guard let outcomes = try await ask("https://localhost:\(good.port)/down", client, "downgrade") else { return }
        let sent = plain.requests.dropFirst(before)
        trial.count("downgrades", outcomes.count)
        if sent.count != outcomes.count {
            trial.violate("downgrade, \(client): \(sent.count) of \(outcomes.count) arrived: \(outcomes)")
        }
        for head in sent where head.contains(HostileProbe.secret) {
            trial.count("secrets sent elsewhere")
            trial.violate("downgrade, \(client): plain text with a secret: \(head.replacing("\r\n", with: " | "))")
        }
    }

    // MARK: HTTP/2

    /// Over HTTP/2, by a client of the rig's own, since the transport's own trusts the system alone. For a client of one's own
    /// a status below 100 is a known end of the process; see ``AsyncHTTPClientTransport``.
    private func judgeHTTP2() async throws {
        for client in [TLSClient.trusting, .ownDefaultOfSystem] {
            for path in ["/200", "/length", "/099"] where path != "/099" || client == .ownDefaultOfSystem {
                let name = "HTTP/2 \(path)"
                guard let outcomes = try await ask("https://localhost:\(http2.port)\(path)", client, name) else {
                    continue
                }
                for (verb, outcome) in outcomes where (outcome == "ok 200") != (path == "/200") {
                    trial.violate("\(name), \(client): \(verb) ended with \(outcome)")
                }
                trial.count("over HTTP/2", outcomes.count)
            }
        }
    }

    // MARK: Asking

    /// Asks in a process of its own.
    ///
    /// - Returns: How each verb ended. `nil` if this machine does not let the rig stand in for the system's authorities.
    private func ask(_ url: String, _ client: TLSClient, _ name: String) async throws -> [(String, String)]? {
        guard let folder else { return nil }
        let trust = client == .pinned ? pinnedFile.path : authorityFile.path
        let arguments = ["tls-probe", "--url", url, "--client", "\(client)", "--trust", trust]
        if client.needsSystem, getuid() != 0 {
            trial.count("left out, for want of rights")
            return nil
        }
        let child = try Child(arguments, in: folder.url, authorities: client.needsSystem ? authorityFile : nil)
        let ending = await child.wait(upTo: .seconds(60))
        if ending != .exit(0) {
            trial.violate("\(name), \(client): the process ended by \(ending): \(child.complaint)")
        }
        let outcomes = child.lines.map { $0.split(separator: "\t").map(String.init) }.filter { $0.count == 2 }
        trial.count("requests", outcomes.count)
        return outcomes.map { ($0[0], $0[1]) }
    }

    private static func greet(_ wire: RawWire) async throws {
        try await wire.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
    }
}
