/// Where a state lives as long as its view keeps its identity. Any thread may read and write it.
final class StateLocation<Value>: @unchecked Sendable {  // the lock guards all that changes
    private struct Subscriber {
        weak var handle: Handle?
        let generation: Int
    }

    private struct Content {
        var value: Value
        var subscribers: [ObjectIdentifier: Subscriber] = [:]
    }

    private let lock = NSRecursiveLock()
    private var content: Content

    init(_ value: Value) {
        content = Content(value: value)
    }

    /// The value, read: what is under evaluation depends on it from now on.
    var value: Value {
        get {
            let reader = Reader.current
            return lock.withLock {
                if let reader {
                    content.subscribers[reader.handle.identifier] = Subscriber(
                        handle: reader.handle, generation: reader.generation)
                }
                return content.value
            }
        }
        set {
            let (old, subscribers) = lock.withLock {
                let old = content.value
                content.value = newValue
                return (old, content.subscribers)
            }
            if let old = old as? any Equatable, old.isEqual(to: newValue) { return }
            for subscriber in subscribers.values {
                subscriber.handle?.invalidate(generation: subscriber.generation)
            }
            forgetOutdated()
        }
    }

    private func forgetOutdated() {
        lock.withLock {
            content.subscribers = content.subscribers.filter { $0.value.handle?.generation == $0.value.generation }
        }
    }
}
