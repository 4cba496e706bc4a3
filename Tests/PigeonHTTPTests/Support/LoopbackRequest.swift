import Foundation
import NIOHTTP1
import PigeonHTTP

/// A request as it reached the server.
struct LoopbackRequest: Sendable {
    let method: String
    /// Path and query, as they were sent.
    let target: String
    let headers: PigeonHTTP.HTTPHeaders
    var body = Data()
    /// The number of the connection it came on, counted from 1.
    let connection: Int

    init(_ head: HTTPRequestHead, connection: Int) {
        method = head.method.rawValue
        target = head.uri
        headers = PigeonHTTP.HTTPHeaders(
            head.headers.map { PigeonHTTP.HTTPHeaders.Field(name: $0.name, value: $0.value) })
        self.connection = connection
    }

    /// The target without its query.
    var path: String { String(target.prefix { $0 != "?" }) }
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }
}
