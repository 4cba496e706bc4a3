import CombineShim
import Observation

/// Notifies the observers of a query or a mutation by `objectWillChange`, by publishers, and by Observation.
@MainActor
final class ChangeNotifier {
    private let objectWillChange: ObservableObjectPublisher
    private let listeners = ChangeListeners()
    private let registrar: (any Sendable)?

    /// Represents all properties. Observation tracks single properties, but here all of them change together.
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

    /// Records that the caller reads the state.
    func access() {
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
            (registrar as? ObservationRegistrar)?.access(self, keyPath: \.version)
        }
    }

    /// Makes a change, and notifies observers: some of them before it, others after it.
    ///
    /// - Parameter change: Makes the change. It must read the current state again, because observers that were notified
    ///   before the change may have made others.
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

    /// Publishes the result of `read` now, and again after each change of `mark`, until the owner is released.
    /// Publishes nothing while either is `nil`.
    func publisher<Mark: Equatable, Output>(
        mark: @escaping @MainActor () -> Mark?, read: @escaping @MainActor () -> Output?
    ) -> AnyPublisher<Output, Never> {
        ChangePublisher(listeners: listeners, mark: mark, read: read).eraseToAnyPublisher()
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ChangeNotifier: nonisolated Observable {}
