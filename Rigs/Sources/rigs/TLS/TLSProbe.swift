internal import ArgumentParser
internal import AsyncHTTPClient
internal import Foundation
internal import NIOSSL
internal import PigeonHTTP

/// A client, by its transport and by what it trusts.
enum TLSClient: String, CaseIterable, ExpressibleByArgument {
    /// AsyncHTTPClient, which trusts the rig's authority.
    case trusting
    /// AsyncHTTPClient, which trusts one self-signed certificate and nothing else.
    case pinned
    /// AsyncHTTPClient as the transport makes it: it trusts the system's authorities.
    case ownDefault
    /// `URLSession`, which trusts the system's authorities.
    case urlSession
    /// The defaults, where the rig's authority stands in the place of the system's.
    case ownDefaultOfSystem, urlSessionOfSystem

    /// True if the process needs a file system in which the rig's authority is the system's.
    var needsSystem: Bool { self == .ownDefaultOfSystem || self == .urlSessionOfSystem }
    /// True if certificates of the rig's authority are good for it.
    var trustsAuthority: Bool { self == .trusting || needsSystem }
}

/// Sends requests full of secrets to one address by every verb, and prints how they ended.
struct TLSProbe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    @Option var url: String
    @Option var client: TLSClient
    @Option var trust: String
    @Option(parsing: .upToNextOption) var verbs: [Verb] = [.response, .stream, .download]

    func run() async throws {
        guard let url = URL(string: url), let base = URL(string: "/", relativeTo: url)?.absoluteURL else {
            throw ValidationError("no address")
        }
        try await Self.probe(base, path: url.path, client, trust: trust, verbs: verbs)
    }

    @concurrent
    private static func probe(_ base: URL, path: String, _ kind: TLSClient, trust: String, verbs: [Verb]) async throws {
        let client = try client(kind, trust: trust)
        var policy = HTTPPolicy()
        policy.timeout = .seconds(5)
        policy.totalTimeout = .seconds(8)
        policy.headers = ["X-Api-Key": HostileProbe.secret]
        policy.authorization = TokenAuthorization(token: HostileProbe.secret) { _ in HostileProbe.secret }
        let transport: any HTTPTransport =
            if let client { AsyncHTTPClientTransport(client: client) } else {
                kind == .ownDefault || kind == .ownDefaultOfSystem ? AsyncHTTPClientTransport() : URLSessionTransport()
            }
        let dispatcher = NetworkDispatcher(baseURL: base, transport: transport, policy: policy)
        let request = BasicRequest(
            method: .get, path: path,
            headers: ["Cookie": "session=\(HostileProbe.secret)", "X-Session": HostileProbe.secret])
        let folder = try Folder()
        for verb in verbs { say("\(verb)\t\(await verb.perform(dispatcher, request, in: folder))") }
        try await client?.shutdown()
    }

    /// A client of AsyncHTTPClient for what is trusted; `nil` for a transport's own.
    private static func client(_ kind: TLSClient, trust: String) throws -> HTTPClient? {
        guard kind == .trusting || kind == .pinned else { return nil }
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(trust))
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}
