/// Stands for `SwiftUI.Binding`.
@propertyWrapper
@dynamicMemberLookup
public struct Binding<Value>: DynamicProperty {
    private let read: () -> Value
    private let write: (Value, Transaction) -> Void
    /// Stands for `Binding.transaction`.
    public var transaction = Transaction()

    /// Stands for `Binding.init(get:set:)`.
    @preconcurrency
    public init(
        @_inheritActorContext get: @escaping @isolated(any) @Sendable () -> Value,
        @_inheritActorContext set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {
        self.init(get: get) { value, _ in Isolation.run(set, value) }
    }

    /// Stands for `Binding.init(get:set:)` with a transaction.
    @preconcurrency
    public init(
        @_inheritActorContext get: @escaping @isolated(any) @Sendable () -> Value,
        @_inheritActorContext set: @escaping @isolated(any) @Sendable (Value, Transaction) -> Void
    ) {
        read = { Isolation.run(get) }
        write = { Isolation.run(set, $0, $1) }
    }

    init(location: StateLocation<Value>) {
        self.init(read: { location.value }, write: { value, _ in location.value = value })
    }

    init(read: @escaping () -> Value, write: @escaping (Value, Transaction) -> Void) {
        self.read = read
        self.write = write
    }

    /// Stands for `Binding.constant(_:)`.
    public static func constant(_ value: Value) -> Binding<Value> {
        Binding(read: { value }, write: { _, _ in })
    }

    /// Stands for `Binding.wrappedValue`.
    public var wrappedValue: Value {
        get { read() }
        nonmutating set { write(newValue, transaction) }
    }

    /// Stands for `Binding.projectedValue`.
    public var projectedValue: Binding<Value> { self }

    /// Stands for `Binding.init(projectedValue:)`.
    public init(projectedValue: Binding<Value>) {
        self = projectedValue
    }

    /// Stands for the dynamic members of `Binding`.
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        let whole = self
        return Binding<Subject>(
            read: { whole.read()[keyPath: keyPath] },
            write: { part, transaction in
                var value = whole.read()
                value[keyPath: keyPath] = part
                whole.write(value, transaction)
            })
    }
}

extension Binding: @unchecked Sendable where Value: Sendable {}  // the closures are sendable or read a guarded location

extension Binding {
    /// Stands for `Binding.init(_:)` that makes a binding to an optional.
    public init<Wrapped>(_ base: Binding<Wrapped>) where Value == Wrapped? {
        self.init(read: { base.wrappedValue }, write: { value, _ in value.map { base.wrappedValue = $0 } })
    }

    /// Stands for `Binding.init(_:)` that is there as long as the value of an optional binding is.
    public init?(_ base: Binding<Value?>) {
        guard let initial = base.wrappedValue else { return nil }
        self.init(read: { base.wrappedValue ?? initial }, write: { value, _ in base.wrappedValue = value })
    }

    /// Stands for `Binding.animation(_:)`.
    public func animation(_ animation: Animation? = .default) -> Binding<Value> { self }

    /// Stands for `Binding.transaction(_:)`.
    public func transaction(_ transaction: Transaction) -> Binding<Value> {
        var result = self
        result.transaction = transaction
        return result
    }
}

extension Binding: Identifiable where Value: Identifiable {
    /// Stands for `Binding.id`.
    public var id: Value.ID { wrappedValue.id }
}

extension Binding: Sequence where Value: MutableCollection {
    /// Stands for `Binding.Element`.
    public typealias Element = Binding<Value.Element>
    /// Stands for `Binding.Iterator`.
    public typealias Iterator = IndexingIterator<Binding<Value>>
    /// Stands for `Binding.SubSequence`.
    public typealias SubSequence = Slice<Binding<Value>>
}

extension Binding: Collection where Value: MutableCollection {
    /// Stands for `Binding.Index`.
    public typealias Index = Value.Index
    /// Stands for `Binding.Indices`.
    public typealias Indices = Value.Indices
    /// Stands for `Binding.startIndex`.
    public var startIndex: Value.Index { wrappedValue.startIndex }
    /// Stands for `Binding.endIndex`.
    public var endIndex: Value.Index { wrappedValue.endIndex }
    /// Stands for `Binding.indices`.
    public var indices: Value.Indices { wrappedValue.indices }
    /// Stands for `Binding.index(after:)`.
    public func index(after index: Value.Index) -> Value.Index { wrappedValue.index(after: index) }
    /// Stands for the subscript of a `Binding` to a collection.
    public subscript(position: Value.Index) -> Binding<Value.Element> {
        Binding<Value.Element>(
            read: { wrappedValue[position] }, write: { value, _ in wrappedValue[position] = value })
    }
}
