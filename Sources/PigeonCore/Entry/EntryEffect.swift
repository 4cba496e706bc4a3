/// What the shell must do after an input, in order.
package enum EntryEffect {
    /// Run the fetcher. `attempt` counts from 0 within a fetch. It `goesOn` where the one before failed, unless what that had
    /// brought is from before an invalidation or a write.
    case start(FlightTarget, generation: UInt64, attempt: Int, cause: Cause, fromStart: Bool, goesOn: Bool)
    /// Cancel a fetch, whose answer will not land. `isSuperseded` when a newer fetch made it useless.
    case stop(generation: UInt64, isSuperseded: Bool)
    /// Forget a fetch that is over.
    case end(generation: UInt64)
    /// Listen to the source of truth, if nobody does yet.
    case watchSource
    /// Read the source of truth.
    case readSource
    /// Resume those who await a reading.
    case sourceRead
    /// Tell the observers.
    case notify
    /// Resume those who await a fetch, and those who await a page.
    case settle(Settlement)
    case settlePage(PageDirection, Settlement)
    /// Store the value, or the mark that it is stale.
    case persist
    case persistStale
    /// Put a line on the event stream.
    case event(QueryEvent.Kind, Cause)
    /// Free this outside the lock.
    case discard(AnyObject)
    /// Remove the entry: nobody has used it for its time.
    case collect
}

/// How those who wait are answered.
package enum Settlement {
    /// With what is shown now.
    case value
    case failure(Failure)
    /// Those who await the whole with what is shown now, or a `CancellationError` when nothing is; those who await a page
    /// with the error.
    case cancelled
}
