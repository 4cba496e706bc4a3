/// A view with other surroundings than those above.
struct Adjusting<Content: View>: Drawn {
    let content: Content
    let adjust: @MainActor (inout Surroundings) -> Void

    func plan(_ plan: inout Plan, in node: Node) { plan.add(content, adjust: adjust) }
}

extension View {
    /// Puts `change` into the environment of a view.
    func inEnvironment(_ change: @escaping @MainActor (inout EnvironmentValues) -> Void) -> some View {
        Adjusting(content: self) { change(&$0.environment) }
    }

    /// Stands for `View.environment(_:_:)`.
    public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
        inEnvironment { $0[keyPath: keyPath] = value }
    }

    /// Stands for `View.environment(_:)` with an observable object.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    public func environment<T: AnyObject & Observable>(_ object: T?) -> some View {
        inEnvironment { $0.setObject(object) }
    }

    /// Stands for `View.environmentObject(_:)`.
    public func environmentObject<T: ObservableObject>(_ object: T) -> some View {
        inEnvironment { $0.setObject(object) }
    }

    /// Stands for `View.transformEnvironment(_:transform:)`.
    public func transformEnvironment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>, transform: @escaping (inout V) -> Void
    ) -> some View {
        inEnvironment { transform(&$0[keyPath: keyPath]) }
    }

    /// Stands for `View.preferredColorScheme(_:)`. The real one also reaches what is around the view, up to its window.
    public func preferredColorScheme(_ colorScheme: ColorScheme?) -> some View {
        inEnvironment { $0.colorScheme = colorScheme ?? $0.colorScheme }
    }

    /// Stands for `View.disabled(_:)`.
    public func disabled(_ disabled: Bool) -> some View {
        inEnvironment { $0.isEnabled = $0.isEnabled && !disabled }
    }

    /// Stands for `View.redacted(reason:)`.
    public func redacted(reason: RedactionReasons) -> some View {
        inEnvironment { $0.redactionReasons.formUnion(reason) }
    }

    /// Stands for `View.unredacted()`.
    public func unredacted() -> some View {
        inEnvironment { $0.redactionReasons = [] }
    }

    /// Stands for `View.refreshable(action:)`.
    public func refreshable(
        @_inheritActorContext action: @escaping @concurrent @Sendable () async -> Void
    ) -> some View {
        let refresh = RefreshAction(action: action)
        return inEnvironment { $0.refreshAction = refresh }
    }
}
