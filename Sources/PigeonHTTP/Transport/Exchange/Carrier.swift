/// What carries one exchange over the network, as the exchange sees it.
protocol Carrier: AnyObject, Sendable {
    /// Ends the transfer. It may still tell the exchange of what happens; nobody listens.
    func cancel()

    /// How many unread bytes of a stream may wait before it pauses.
    var highWater: Int { get }

    /// Lets no more of the body come, as far as that is possible. Called under the exchange's lock: it must not call the
    /// exchange back.
    func pause()

    /// Ends one ``pause()``, perhaps after the next one has begun.
    func proceed()
}

extension Carrier {
    var highWater: Int { 1 << 20 }
}
