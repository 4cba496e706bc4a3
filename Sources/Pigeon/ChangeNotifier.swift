import CombineShim
import Observation

/// Tells whoever observes a query or a mutation, in each of the ways there are: `objectWillChange`, publishers,
/// Observation.
@MainActor
final class ChangeNotifier {
    private let objectWillChange: ObservableObjectPublisher
    private let listeners = ChangeListeners()
    private let registrar: (any Sendable)?

    /// Stands for everything that changes: Observation follows property by property, and here all change together.
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

    /// Notes that somebody reads what changes.
    func access() {
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
            (registrar as? ObservationRegistrar)?.access(self, keyPath: \.version)
        }
    }

    /// Makes a change known: to some before it, to others after it.
    ///
    /// - Parameter change: Changes. Those told before may have changed more meanwhile, so it looks again at what there is.
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

    /// What `read` says now, then again after each change of `mark`, until the owner is freed. Sends nothing while either
    /// is `nil`.
    func publisher<Mark: Equatable, Output>(
        mark: @escaping @MainActor () -> Mark?, read: @escaping @MainActor () -> Output?
    ) -> AnyPublisher<Output, Never> {
        ChangePublisher(listeners: listeners, mark: mark, read: read).eraseToAnyPublisher()
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ChangeNotifier: nonisolated Observable {}
