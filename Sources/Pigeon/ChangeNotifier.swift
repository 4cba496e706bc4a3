import CombineShim
import Observation
internal import PigeonBase
import PigeonCore

/// Notifies the observers of a query or a mutation: those of `objectWillChange`, of its publishers, and of Observation.
@MainActor
final class ChangeNotifier {
    private let objectWillChange: ObservableObjectPublisher
    /// The publishers with subscribers. `nil` before the first publisher.
    private var listeners: ChangeListeners?
    private let registrar: (any Sendable)?
    /// Schedules the announcement of changes that another object causes as it attaches.
    private lazy var scheduler = MainScheduler()

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
        if let listeners { MainActor.runSoon { listeners.finish() } }
    }

    func access() {
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
            (registrar as? ObservationRegistrar)?.access(self, keyPath: \.version)
        }
    }

    /// Notifies observers of a change, some before and some after it. Those of `objectWillChange` are notified in the next
    /// turn of the main actor if another object causes the change as it attaches.
    ///
    /// - Parameter change: Makes the change. An observer that is notified before the change may make a newer one, so
    ///   the closure must check the current state again.
    func change(_ change: () -> Void) {
        if Attaching.permitsAnnouncement(by: self) {
            objectWillChange.send()
        } else {
            scheduler.schedule { [weak self] in self?.objectWillChange.send() }
        }
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
            let registrar = registrar as? ObservationRegistrar
            registrar?.willSet(self, keyPath: \.version)
            change()
            registrar?.didSet(self, keyPath: \.version)
        } else {
            change()
        }
        listeners?.change()
    }

    /// Publishes the current result of `read`, and then a new one after each change of `mark`, until the owner is
    /// released. Sends nothing while `mark` or `read` returns `nil`.
    func publisher<Mark: Equatable, Output>(
        mark: @escaping @MainActor () -> Mark?, read: @escaping @MainActor () -> Output?
    ) -> AnyPublisher<Output, Never> {
        let listeners = listeners ?? ChangeListeners()
        self.listeners = listeners
        return ChangePublisher(listeners, mark: mark, read: read).eraseToAnyPublisher()
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ChangeNotifier: nonisolated Observable {}

/// Sends the current value on subscription, and then a new one after each change of `mark`, on the main actor.
/// Completes when the owner of the value is released.
///
/// A subscriber that changes the owner receives the resulting value after it returns, so values never nest and keep
/// their order. A subscriber without demand receives the newest value when it requests one. A change reads the value
/// once for all subscribers.
@MainActor
final class ChangePublisher<Mark: Equatable, Output>: nonisolated Publisher, ChangeListener {
    typealias Failure = Never

    private let listeners: ChangeListeners
    /// Identifies the value without comparing values. `nil` when there is nothing to send.
    private let mark: @MainActor () -> Mark?
    private let read: @MainActor () -> Output?
    private var subscriptions: [ChangeSubscription<Mark, Output>] = []
    /// The marks of the newest value that was sent, and of the value before it.
    private var marks: (new: SeenMark<Mark>?, old: SeenMark<Mark>?)
    /// Number of changes so far.
    private var pass: UInt64 = 0
    /// True if some subscription may not have received the value of the newest mark.
    private var isBehind = false

    init(
        _ listeners: ChangeListeners, mark: @escaping @MainActor () -> Mark?, read: @escaping @MainActor () -> Output?
    ) {
        self.listeners = listeners
        self.mark = mark
        self.read = read
    }

    nonisolated func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let delivery = Delivery<Output, Never>(to: subscriber, .newestWithoutDemand, on: .mainActor)
        subscriber.receive(subscription: delivery)
        MainActor.runSoon { self.begin(ChangeSubscription(delivery)) }
    }

    /// Registers for changes before it sends the first value, so that it misses no change that this value causes.
    private func begin(_ subscription: ChangeSubscription<Mark, Output>) {
        guard subscription.delivery.isOpen else { return }
        subscriptions.append(subscription)
        if subscriptions.count == 1 { listeners.add(self) }
        let id = ObjectIdentifier(subscription)
        subscription.delivery.onCancel { [self] in MainActor.runSoon { self.remove(id) } }
        guard let mark = mark(), let value = read() else { return isBehind = true }
        if mark == marks.new?.mark { subscription.send(value, marks) } else { send(value, mark) }
    }

    private func remove(_ id: ObjectIdentifier) {
        guard let index = subscriptions.firstIndex(where: { ObjectIdentifier($0) == id }) else { return }
        subscriptions.remove(at: index)
        if subscriptions.isEmpty { listeners.remove(self) }
    }

    func change() {
        guard let mark = mark() else { return pass += 1 }
        guard isBehind || mark != marks.new?.mark, let value = read() else { return }
        send(value, mark)
    }

    private func send(_ value: Output, _ mark: Mark) {
        if mark != marks.new?.mark { marks = (SeenMark(mark), marks.new) }
        isBehind = false
        pass += 1
        let (marks, pass) = (marks, pass)
        for subscription in subscriptions {
            // A subscriber may have caused another change, of which all subscribers have been notified by now.
            guard self.pass == pass else { return isBehind = true }
            subscription.send(value, marks)
        }
    }

    func finish() {
        let all = subscriptions
        subscriptions = []
        for subscription in all { subscription.delivery.finish(.finished) }
    }
}

@MainActor
private final class ChangeSubscription<Mark: Equatable, Output> {
    let delivery: Delivery<Output, Never>
    private var seen: SeenMark<Mark>?

    init(_ delivery: Delivery<Output, Never>) {
        self.delivery = delivery
    }

    /// Sends a value, unless the subscriber has already seen its mark.
    func send(_ value: Output, _ marks: (new: SeenMark<Mark>?, old: SeenMark<Mark>?)) {
        guard seen !== marks.new else { return }
        let isSame = seen !== marks.old && hasSeen(marks.new)
        seen = marks.new
        if !isSame { delivery.sendHere(value) }
    }

    /// Compares marks, for a subscriber that missed one. Not inlined, because comparing marks looks up type metadata.
    @inline(never)
    private func hasSeen(_ mark: SeenMark<Mark>?) -> Bool {
        seen?.mark == mark?.mark
    }
}

/// A mark that is compared by identity first.
private final class SeenMark<Mark: Equatable> {
    let mark: Mark

    init(_ mark: Mark) {
        self.mark = mark
    }
}

/// A listener that is notified of changes until `finish()` is called.
@MainActor
protocol ChangeListener: AnyObject {
    func change()
    func finish()
}

/// Retains the publishers of one owner while they have subscribers.
@MainActor
final class ChangeListeners {
    private var listeners: [any ChangeListener] = []
    private var isOver = false

    func add(_ listener: any ChangeListener) {
        guard !isOver else { return listener.finish() }
        listeners.append(listener)
    }

    func remove(_ listener: any ChangeListener) {
        listeners.removeAll { $0 === listener }
    }

    func change() {
        for listener in listeners { listener.change() }
    }

    /// Calls `finish()` on each listener, and on each listener that is added later.
    func finish() {
        isOver = true
        let all = listeners
        listeners = []
        for listener in all { listener.finish() }
    }
}
