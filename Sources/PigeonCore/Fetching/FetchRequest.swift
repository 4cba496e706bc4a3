/// A request that a fetch carries for whoever began it. The fetcher finds it in ``FetchRun/request``, and sends it.
///
/// A fetch carries one request at a time. One that is retried, or that the client begins by itself, carries none until
/// somebody gives it one.
package protocol FetchRequest: AnyObject, Sendable {
    /// The fetch carries the request no longer: it has ended, or the attempt that sent the request has failed and the fetch
    /// will be retried. Called once for each request, without a lock, after observers have been notified of the outcome.
    ///
    /// - Parameter isSuperseded: True if a newer fetch of the key has made the answer obsolete.
    func fetchEnded(isSuperseded: Bool)
}
