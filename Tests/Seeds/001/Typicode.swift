import Foundation
import SeedSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking

    typealias SystemSession = FoundationNetworking.URLSession
#else
    typealias SystemSession = Foundation.URLSession
#endif

/// The server that the examples ask.
final class Typicode: Web {
    static let users = Site(host: "jsonplaceholder.typicode.com")

    override class var site: Site { users }
}

/// What the examples know as `URLSession`: the system's, but its shared session asks ``Typicode``.
enum URLSession {
    static let shared: SystemSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Typicode.self]
        return SystemSession(configuration: configuration)
    }()
}
