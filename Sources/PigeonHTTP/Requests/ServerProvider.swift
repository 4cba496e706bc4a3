public import Foundation

/// Says where the server is, anew for each request: an app with an environment picker needs no new dispatcher.
///
/// It is asked from any thread.
public protocol ServerProvider: AnyObject, Sendable {
    /// The address that the paths of requests are added to; its own path and query are kept.
    var baseURL: URL? { get }
}
