/// What an observer says of the snapshots it gets.
@usableFromInline
package struct SnapshotTerms: Sendable {
    @usableFromInline package var staleAfter: StaleTime
    /// Whether staleness is told at all.
    @usableFromInline package var isEnabled: Bool

    package init(staleAfter: StaleTime, isEnabled: Bool = true) {
        self.staleAfter = staleAfter
        self.isEnabled = isEnabled
    }
}
