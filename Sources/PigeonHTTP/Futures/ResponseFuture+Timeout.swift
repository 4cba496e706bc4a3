internal import Foundation
public import PigeonBase

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension ResponseFuture {
    /// A future that fails with `URLError.timedOut`, and cancels this one, when this one takes longer.
    ///
    /// - Parameters:
    ///   - duration: The longest time from the start to the end.
    ///   - clock: What measures it.
    public func timeout(_ duration: Duration, clock: any QueryClock = SystemClock()) -> ResponseFuture<T> {
        ResponseFuture(
            FutureCore<T> { stage in
                let source = self.core
                let deadline = clock.now().advanced(by: duration)
                let alarm = clock.schedule(at: deadline) { [weak machine = stage.machine] in
                    machine?.finish(.failure(URLError(.timedOut)))
                }
                stage.wait(for: source, of: self) { outcome, stage in
                    alarm.cancel()
                    await stage.settle(outcome)
                }
                stage.machine.onStop {
                    alarm.cancel()
                    source.machine.cancel()
                }
            })
    }
}
