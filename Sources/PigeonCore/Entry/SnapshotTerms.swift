/// The options that apply to an observer's snapshots.
@usableFromInline
package struct SnapshotTerms: Sendable {
    @usableFromInline package var staleAfter: StaleTime
    /// True if the observer is enabled. Snapshots of a disabled observer are never stale.
    @usableFromInline package var isEnabled: Bool

    package init(staleAfter: StaleTime, isEnabled: Bool = true) {
        self.staleAfter = staleAfter
        self.isEnabled = isEnabled
    }
}
