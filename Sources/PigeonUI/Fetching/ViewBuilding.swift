#if canImport(SwiftUI)
    /// Tracks whether a view is being built. SwiftUI accepts no other change during that time, so changes are reported
    /// afterwards.
    @MainActor
    enum ViewBuilding {
        private(set) static var isGoingOn = false

        static func during<Result>(_ body: () -> Result) -> Result {
            let isInner = isGoingOn
            isGoingOn = true
            defer { isGoingOn = isInner }
            return body()
        }
    }
#endif
