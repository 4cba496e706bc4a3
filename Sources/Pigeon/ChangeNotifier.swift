import CombineShim
import Observation

/// Notifies the observers of a query or a mutation: those of `objectWillChange`, of its publishers, and of Observation.
@MainActor
final class ChangeNotifier {
    private let objectWillChange: ObservableObjectPublisher
    private let listeners = ChangeListeners()
    private let registrar: (any Sendable)?

    /// The property that Observation tracks. It stands for all properties, because all change together.
    private var version: UInt64 = 0

    init(_ objectWillChange: ObservableObjectPublisher) {
        self.objectWillChange = objectWillChange
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
            registrar = ObservationRegistrar()
        } else {
            registrar = nil
        }
    }

    deinit {
        listeners.finish()
    }

    /// Registers with Observation that the caller reads the state.
    func access() {
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
            (registrar as? ObservationRegistrar)?.access(self, keyPath: \.version)
        }
    }

    /// Notifies observers of a change, some before and some after it.
    ///
    /// - Parameter change: Makes the change. An observer that is notified before the change may make a newer one, so
    ///   the closure must check the current state again.
    func change(_ change: () -> Void) {
        objectWillChange.send()
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
            let registrar = registrar as? ObservationRegistrar
            registrar?.willSet(self, keyPath: \.version)
            change()
            registrar?.didSet(self, keyPath: \.version)
        } else {
            change()
        }
        listeners.change()
    }

    /// Publishes the current result of `read`, and then a new one after each change of `mark`, until the owner is
    /// released. Sends nothing while `mark` or `read` returns `nil`.
    func publisher<Mark: Equatable, Output>(
        mark: @escaping @MainActor () -> Mark?, read: @escaping @MainActor () -> Output?
    ) -> AnyPublisher<Output, Never> {
        ChangePublisher(listeners, mark: mark, read: read).eraseToAnyPublisher()
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ChangeNotifier: nonisolated Observable {}
