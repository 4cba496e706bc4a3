/// What carries one exchange over the network, as the exchange sees it.
protocol Carrier: AnyObject, Sendable {
    /// Ends the transfer. It may still tell the exchange of what happens; nobody listens.
    func cancel()

    /// Lets no more of the body come, as far as that is possible. Called under the exchange's lock: it must not call the
    /// exchange back.
    func pause()

    /// Ends one ``pause()``, perhaps after the next one has begun.
    func proceed()
}
