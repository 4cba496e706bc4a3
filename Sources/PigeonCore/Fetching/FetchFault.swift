/// A disturbance of fetches, for developer tools and for trying out how a program deals with one.
public enum FetchFault: Sendable, Hashable {
    /// Each attempt fails at once with ``Failure``. The fetcher is not called.
    case failure
    /// Each attempt lasts until it is cancelled. The fetcher is not called.
    case hang
    /// Each attempt begins only after a time.
    case delay(Duration)
}

extension FetchFault {
    /// The error of ``failure``. It counts as transient, so that retries can be seen.
    public struct Failure: TransientErrorType, CustomStringConvertible {
        /// Creates the error.
        public init() {}

        /// Always true.
        public var isTransient: Bool { true }

        /// Says that the failure was asked for.
        public var description: String { "simulated failure" }
    }
}

extension FetchFault.Failure: PlainlyDescribedError {}

extension QueryClient {
    /// Disturbs the later fetches and page loads of the entries in memory that a filter selects. An attempt that runs is
    /// not affected. The fault belongs to the key, so it outlives the entry.
    ///
    /// ```swift
    /// client.setFault(.delay(.seconds(3)), for: .path("users"))
    /// ```
    ///
    /// - Parameters:
    ///   - fault: The fault. `nil` for none.
    ///   - filter: Selects the entries.
    public func setFault(_ fault: FetchFault?, for filter: KeyFilter) {
        let keys = entries(matching: filter).map(\.key)
        faults.withLock { faults in
            for key in keys { faults[key] = fault }
            faultCount.set(UInt64(faults.count))
        }
    }

    /// Removes all faults.
    public func removeFaults() {
        faults.withLock { $0 = [:] }
        faultCount.set(0)
    }

    func fault(of key: QueryKey) -> FetchFault? {
        faultCount.value == 0 ? nil : faults.withLock { $0[key] }
    }
}
