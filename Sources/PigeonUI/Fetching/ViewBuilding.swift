#if canImport(SwiftUI)
    /// Tells whether a view is being built. SwiftUI takes no other change meanwhile: it is told of those after that.
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
