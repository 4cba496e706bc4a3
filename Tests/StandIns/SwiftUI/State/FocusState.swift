/// Stands for `SwiftUI.FocusState`. Nothing on the screen takes the focus by itself.
@propertyWrapper
public struct FocusState<Value: Hashable>: DynamicProperty {
    /// Stands for `FocusState.Binding`.
    @propertyWrapper
    public struct Binding {
        private let base: SwiftUI.Binding<Value>

        init(base: SwiftUI.Binding<Value>) {
            self.base = base
        }

        /// Stands for `FocusState.Binding.wrappedValue`.
        public var wrappedValue: Value {
            get { base.wrappedValue }
            nonmutating set { base.wrappedValue = newValue }
        }

        /// Stands for `FocusState.Binding.projectedValue`.
        public var projectedValue: Binding { self }
    }

    private var state: State<Value>

    /// Stands for `FocusState.init()` of a truth value.
    public init() where Value == Bool {
        state = State(wrappedValue: false)
    }

    /// Stands for `FocusState.init()` of an optional.
    public init<T: Hashable>() where Value == T? {
        state = State(wrappedValue: nil)
    }

    /// Stands for `FocusState.wrappedValue`.
    public var wrappedValue: Value {
        get { state.wrappedValue }
        nonmutating set { state.wrappedValue = newValue }
    }

    /// Stands for `FocusState.projectedValue`.
    public var projectedValue: Binding { Binding(base: state.projectedValue) }
}
