#if Devtools
    public import Foundation
    internal import NIOCore
    internal import NIOPosix
    public import PigeonCore

    /// A page in a browser that shows what clients know, why they did what they did, and what they will do next.
    ///
    /// ```swift
    /// let devtools = try await Devtools.start(client)       // prints http://127.0.0.1:…/?token=…
    /// devtools.add(other, named: "search")
    /// ```
    ///
    /// The page is served on this machine only, unless ``Options/reach`` says otherwise, and only to whoever has the token
    /// in the address. A value leaves the process only while a browser shows its entry. A slow browser never slows the
    /// program: what it misses is dropped, and counted. While no browser is connected, each event of a client costs its
    /// place in a list.
    ///
    /// Debug builds only, unless ``Options/allowsReleaseBuilds`` is set.
    public final class Devtools: Sendable {
        /// The machines that can reach the page.
        public enum Reach: Sendable, Hashable {
            /// Programs on this machine. The default.
            case loopback
            /// Every machine that can reach this one, such as a computer beside the phone that runs the program. The traffic
            /// is not encrypted.
            case network
            /// A desk, whose browsers show the program: the command `pigeon-devtools`, which prints this address. For a
            /// program that cannot be reached, such as an app on a phone. The program connects to the desk, and tries again
            /// while that is not there. The traffic is not encrypted.
            case desk(URL)
        }

        /// The settings of the page.
        public struct Options: Sendable {
            /// The machines that can reach the page. By default, only this one.
            public var reach = Reach.loopback
            /// The port, from 1 to 65535. 0 for any that is free, the default. Without effect if a desk serves the page.
            public var port = 0
            /// Returns true for keys whose text and values are not shown. By default, none are hidden.
            public var hidesKey: @Sendable (QueryKey) -> Bool = { _ in false }
            /// The types whose values are not shown.
            public var hiddenTypes: [any Sendable.Type] = []
            /// True to start in a release build too. The default is `false`.
            public var allowsReleaseBuilds = false
            /// Called with the address, which contains the token. Prints it by default.
            public var announce: @Sendable (String) -> Void = { printAtOnce($0) }

            /// Creates the default settings.
            public init() {}
        }

        /// The address of the page, with its token. That of the desk, if one shows the program.
        public let address: URL

        private let hub: Hub
        private let group: MultiThreadedEventLoopGroup
        private let dialer: Dialer?

        private init(_ address: URL, _ hub: Hub, _ group: MultiThreadedEventLoopGroup, _ dialer: Dialer? = nil) {
            (self.address, self.hub, self.group, self.dialer) = (address, hub, group, dialer)
        }

        deinit {
            dialer?.stop()
            group.shutdownGracefully { _ in }
        }

        /// Starts to serve the page, and announces its address. It is served until ``stop()``, or until the result is
        /// released.
        ///
        /// - Parameters:
        ///   - client: The client to show. It is not retained.
        ///   - name: The name of the client on the page.
        ///   - options: The settings.
        /// - Throws: ``DevtoolsError``.
        public static func start(
            _ client: QueryClient, named name: String = "QueryClient", options: Options = Options()
        ) async throws -> Devtools {
            guard options.allowsReleaseBuilds || isDebugBuild else { throw DevtoolsError.releaseBuild }
            let hub = Hub(options)
            hub.add(client, named: name)
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            do {
                guard case .desk(let desk) = options.reach else {
                    return Devtools(try await serve(hub, on: group), hub, group)
                }
                let dialer = Dialer(try DeskAddress(desk), hub, on: group.next())
                dialer.start()
                return Devtools(desk, hub, group, dialer)
            } catch {
                try? await group.shutdownGracefully()
                throw error
            }
        }

        private static func serve(_ hub: Hub, on group: MultiThreadedEventLoopGroup) async throws -> URL {
            let options = hub.options
            let gate = Gate(.page(isOnNetwork: options.reach == .network), Token())
            let site = Site(
                gate: gate, messageLimit: Server.messageLimit, file: { name, _ in PageFile.named(name) },
                end: { _ in { Browser($0, hub) } })
            let port = try await Server.listen(on: group, options.reach, port: options.port, site)
            let name = options.reach == .network ? Machine.address : "127.0.0.1"
            guard let address = URL(string: gate.token.address("http", name, port)) else {
                throw DevtoolsError.cannotListen(port: port, reason: "\(name) is no address")
            }
            options.announce("Pigeon devtools: \(address.absoluteString)")
            return address
        }

        /// Does what ``start(_:named:options:)`` does, if the environment variable `PIGEON_DEVTOOLS` asks for it: with `1`,
        /// serves the page. With an address that `pigeon-devtools` has printed, connects with that desk.
        ///
        /// - Returns: `nil` if it does not, and in a release build that does not allow it.
        /// - Throws: ``DevtoolsError``.
        public static func startIfRequested(
            _ client: QueryClient, named name: String = "QueryClient", options: Options = Options()
        ) async throws -> Devtools? {
            guard let wish = ProcessInfo.processInfo.environment["PIGEON_DEVTOOLS"], !["", "0"].contains(wish),
                options.allowsReleaseBuilds || isDebugBuild
            else { return nil }
            var options = options
            if wish != "1" {
                guard let desk = URL(string: wish) else { throw DevtoolsError.badDesk(reason: "it is no address") }
                options.reach = .desk(desk)
            }
            return try await start(client, named: name, options: options)
        }

        /// Shows another client too. It is not retained.
        public func add(_ client: QueryClient, named name: String) {
            hub.add(client, named: name)
        }

        /// Closes all connections, and stops to serve the page.
        public func stop() async {
            dialer?.stop()
            try? await group.shutdownGracefully()
        }

        private static var isDebugBuild: Bool {
            #if DEBUG
                true
            #else
                false
            #endif
        }
    }

    /// Prints a line that a reader of a pipe receives at once.
    @Sendable
    package func printAtOnce(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
    }

    /// A reason for which the page cannot be served.
    public enum DevtoolsError: Error, Sendable, Hashable, CustomStringConvertible {
        /// This is a release build, and the options do not allow that.
        case releaseBuild
        /// The port cannot be used. The text is the system's reason.
        case cannotListen(port: Int, reason: String)
        /// The address of the desk cannot be used.
        case badDesk(reason: String)

        /// Describes the problem and the remedy.
        public var description: String {
            switch self {
            case .releaseBuild:
                "the devtools do not start in a release build, because they show data: set allowsReleaseBuilds to allow it"
            case .cannotListen(let port, let reason): "the devtools cannot listen at port \(port): \(reason)"
            case .badDesk(let reason):
                "this is not the address of a desk, because \(reason): pigeon-devtools prints it, such as "
                    + "ws://192.168.1.5:4775/?token=…"
            }
        }
    }
#endif
