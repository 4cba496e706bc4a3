@preconcurrency public import OpenCombine

/// A view that says when a value changed.
struct Watching<Content: View, Value: Equatable>: Drawn, Lifecycle {
    let content: Content
    let value: Value
    let initial: Bool
    /// True if the function of the body before the change is called, with what that body captured.
    let callsBefore: Bool
    let action: (Value, Value) -> Void

    func plan(_ plan: inout Plan, in node: Node) {
        plan.add(content)
        let last = node.memory as? Last
        node.memory = Last(value, action)
        guard let last, last.value != value else { return }
        let called = callsBefore ? last.action : action
        node.engine.afterEvaluation(.change) { called(last.value, value) }
    }

    func appeared(_ node: Node) {
        if initial { action(value, value) }
    }

    /// The value and the function of the body before.
    private final class Last {
        let value: Value
        let action: (Value, Value) -> Void

        init(_ value: Value, _ action: @escaping (Value, Value) -> Void) {
            self.value = value
            self.action = action
        }
    }
}

/// A view that takes what a publisher sends.
struct Receiving<Content: View, Source: Publisher>: Drawn where Source.Failure == Never {
    let content: Content
    let source: Source
    let action: (Source.Output) -> Void

    func plan(_ plan: inout Plan, in node: Node) {
        plan.add(content)
        if let reception = node.memory as? Reception, reception.isOf(source) {
            reception.action = action
        } else {
            node.memory = Reception(source, action)
        }
    }

    /// The subscription to one publisher, with the newest function.
    private final class Reception {
        var action: (Source.Output) -> Void
        private let source: Source
        private var subscription: AnyCancellable?

        init(_ source: Source, _ action: @escaping (Source.Output) -> Void) {
            self.source = source
            self.action = action
            subscription = source.sink { [weak self] in self?.action($0) }
        }

        /// True if this is the publisher already subscribed to: the same bytes are the same publisher.
        func isOf(_ other: Source) -> Bool {
            withUnsafeBytes(of: source) { one in
                withUnsafeBytes(of: other) { other in one.elementsEqual(other) }
            }
        }
    }
}

extension View {
    /// Stands for `View.onChange(of:perform:)`, which calls the function of the body before the change.
    @available(iOS, deprecated: 17.0)
    @available(macOS, deprecated: 14.0)
    @available(tvOS, deprecated: 17.0)
    @available(watchOS, deprecated: 10.0)
    public func onChange<V: Equatable>(of value: V, perform action: @escaping (_ newValue: V) -> Void) -> some View {
        Watching(content: self, value: value, initial: false, callsBefore: true) { action($1) }
    }

    /// Stands for `View.onChange(of:initial:_:)` with both values.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some View {
        Watching(content: self, value: value, initial: initial, callsBefore: false, action: action)
    }

    /// Stands for `View.onChange(of:initial:_:)` without values.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View {
        Watching(content: self, value: value, initial: initial, callsBefore: false) { _, _ in action() }
    }

    /// Stands for `View.onReceive(_:perform:)`.
    public func onReceive<P: Publisher>(_ publisher: P, perform action: @escaping (P.Output) -> Void) -> some View
    where P.Failure == Never {
        Receiving(content: self, source: publisher, action: action)
    }
}
