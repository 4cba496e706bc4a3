/// Stands for `SwiftUI.RefreshAction`.
public struct RefreshAction: Sendable {
    let action: @concurrent @Sendable () async -> Void

    /// Stands for `RefreshAction.callAsFunction()`.
    @concurrent
    public func callAsFunction() async {
        await action()
    }
}

/// Stands for `SwiftUI.DismissAction`.
@MainActor
@preconcurrency
public struct DismissAction {
    private let action: @MainActor () -> Void

    nonisolated init(action: @escaping @MainActor () -> Void) {
        self.action = action
    }

    /// Stands for `DismissAction.callAsFunction()`.
    public func callAsFunction() {
        action()
    }
}
