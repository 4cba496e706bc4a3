import Foundation
import PigeonFutures
import SeedSupport

/// The server that the provider of the examples names.
final class ExampleCom: Web {
    static let example = Site(host: "example.com")

    override class var site: Site { example }

    static func begin(_ body: String, status: Int = 200) {
        example.begin(["/posts": Site.Answer(body, status: status)])
    }
}

/// The library's dispatcher, whose session asks ``ExampleCom``.
final class NetworkDispatcher: PigeonFutures.NetworkDispatcher, @unchecked Sendable {  // adds nothing
    init(serverProvider: any ServerProvider) {
        let configuration = URLSessionTransport.defaultConfiguration
        configuration.protocolClasses = [ExampleCom.self]
        super.init(serverProvider: serverProvider, configuration: configuration)
    }
}
