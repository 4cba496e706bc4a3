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
        }

        /// The settings of the page.
        public struct Options: Sendable {
            /// The machines that can reach the page. By default, only this one.
            public var reach = Reach.loopback
            /// The port, from 1 to 65535. 0 for any that is free, the default.
            public var port = 0
            /// Returns true for keys whose text and values are not shown. By default, none are hidden.
            public var hidesKey: @Sendable (QueryKey) -> Bool = { _ in false }
            /// The types whose values are not shown.
            public var hiddenTypes: [any Sendable.Type] = []
            /// True to start in a release build too. The default is `false`.
            public var allowsReleaseBuilds = false
            /// Called with the address, which contains the token. Prints it by default.
            public var announce: @Sendable (String) -> Void = { print($0) }

            /// Creates the default settings.
            public init() {}
        }

        /// The address of the page, with its token.
        public let address: URL

        private let hub: Hub
        private let server: Server

        private init(_ server: Server, _ hub: Hub) {
            (self.server, self.hub, address) = (server, hub, server.address)
        }

        deinit {
            server.close()
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
            let server = try await Server.start(hub, options)
            let devtools = Devtools(server, hub)
            devtools.add(client, named: name)
            options.announce("Pigeon devtools: \(devtools.address.absoluteString)")
            return devtools
        }

        /// Starts to serve the page if the environment variable `PIGEON_DEVTOOLS` is `1`, as ``start(_:named:options:)``
        /// does.
        ///
        /// - Returns: `nil` if it is not, and in a release build that does not allow it.
        public static func startIfRequested(
            _ client: QueryClient, named name: String = "QueryClient", options: Options = Options()
        ) async throws -> Devtools? {
            guard ProcessInfo.processInfo.environment["PIGEON_DEVTOOLS"] == "1" else { return nil }
            guard options.allowsReleaseBuilds || isDebugBuild else { return nil }
            return try await start(client, named: name, options: options)
        }

        /// Shows another client too. It is not retained.
        public func add(_ client: QueryClient, named name: String) {
            hub.add(client, named: name)
        }

        /// Closes all connections, and stops to serve the page.
        public func stop() async {
            await server.stop()
        }

        private static var isDebugBuild: Bool {
            #if DEBUG
                true
            #else
                false
            #endif
        }
    }

    /// A reason for which the page cannot be served.
    public enum DevtoolsError: Error, Sendable, Hashable, CustomStringConvertible {
        /// This is a release build, and the options do not allow that.
        case releaseBuild
        /// The port cannot be used. The text is the system's reason.
        case cannotListen(port: Int, reason: String)

        /// Describes the problem and the remedy.
        public var description: String {
            switch self {
            case .releaseBuild:
                "the devtools do not start in a release build, because they show data: set allowsReleaseBuilds to allow it"
            case .cannotListen(let port, let reason): "the devtools cannot listen at port \(port): \(reason)"
            }
        }
    }
#endif
