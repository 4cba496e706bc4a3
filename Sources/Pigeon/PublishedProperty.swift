public import CombineShim
internal import PigeonCore

/// A property of a query or a mutation that has a publisher beside its value: `$items` publishes `items`.
///
/// ```swift
/// let log = posts.$items.sink { items in print(items) }
/// ```
///
/// Declares the properties that `@Published` declared in Pigeon 0.1. It stores no value of its own. Unlike
/// `@Published`, it publishes after the change, so a subscriber that reads the property gets the value that it
/// received.
@MainActor
@propertyWrapper
public struct PublishedProperty<Value> {
    private let read: @MainActor () -> Value
    private let publish: @MainActor () -> AnyPublisher<Value, Never>

    /// - Parameters:
    ///   - read: Returns the current value, and registers the access with Observation.
    ///   - publish: Returns the publisher, which must not retain the owner.
    init(
        read: @escaping @MainActor () -> Value, publish: @escaping @MainActor () -> AnyPublisher<Value, Never>
    ) {
        self.read = read
        self.publish = publish
    }

    /// The current value.
    public var wrappedValue: Value { read() }

    /// Publishes the current value, then each new one, on the main actor. Completes when the owner is released.
    public var projectedValue: AnyPublisher<Value, Never> { publish() }
}

extension PublishedProperty {
    init<Response>(stateOf model: QueryModel<Response>) where Value == QueryState<Response> {
        self.init {
            model.state
        } publish: {
            model.states
        }
    }

    /// Creates a property that is computed from the value of an entry, whether or not the state shows that.
    init<Response>(
        of model: QueryModel<Response>, from value: @escaping @MainActor (Snapshot<Response>) -> Value
    ) {
        let publisher = model.publisher { [weak model] in model.map { value($0.snapshot) } }
        self.init {
            model.access()
            return value(model.snapshot)
        } publish: {
            publisher
        }
    }
}
