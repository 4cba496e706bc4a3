public import CombineShim
public import Observation
public import PigeonCore

/// A part of what a query shows, for views and models that are told only when that part changes.
///
/// ```swift
/// let name = Query(.user(42)).select(\.name)
/// print(name.value ?? "")             // readable on the main actor, at once
/// ```
///
/// It retains its query. Of the query's activity it tells nothing: a refetch that leaves the part as it is goes unnoticed.
@MainActor
public final class SelectedQuery<Output: Equatable & Sendable>: nonisolated ObservableObject {
    /// Sends a value before each change.
    public nonisolated(unsafe) let objectWillChange = ObservableObjectPublisher()  // it locks itself

    private let notifier: ChangeNotifier
    private var shown: Snapshot<Output>
    private var count = 0
    private var subscription: AnyCancellable?
    private let query: AnyObject

    /// - Parameters:
    ///   - first: The first snapshot, selected.
    ///   - snapshots: Publishes the query's snapshots on the main actor, selected.
    init(_ query: AnyObject, first: Snapshot<Output>, snapshots: AnyPublisher<Snapshot<Output>, Never>) {
        self.query = query
        shown = first
        notifier = ChangeNotifier(objectWillChange)
        subscription = snapshots.sink { [weak self] snapshot in
            MainActor.assumeIsolated { self?.apply(snapshot) }  // the query publishes on the main actor
        }
    }

    /// The current snapshot of the part. The last output, if the selection failed for the newest value.
    public var snapshot: Snapshot<Output> {
        notifier.access()
        return shown
    }

    /// The part, or `nil` if there is none.
    public var value: Output? { snapshot.value }

    /// Publishes the current snapshot, then one after each change of the part or the phase, on the main actor. Completes
    /// when this object is released.
    public private(set) lazy var snapshotPublisher: AnyPublisher<Snapshot<Output>, Never> =
        notifier.publisher(mark: { [weak self] in self?.count }, read: { [weak self] in self?.shown })

    private func apply(_ snapshot: Snapshot<Output>) {
        guard !snapshot.showsSame(as: shown) else { return shown = snapshot }
        notifier.change {
            shown = snapshot
            count += 1
        }
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension SelectedQuery: nonisolated Observable {}

extension Query {
    /// Returns a part of what the query shows, or another value made from it.
    ///
    /// - Parameter transform: Makes the part. Called on the main actor, once for each value. If it throws, the phase of the
    ///   selection is a failure.
    public func select<Output: Equatable & Sendable>(
        _ transform: @escaping @MainActor (Response) throws -> Output
    ) -> SelectedQuery<Output> {
        model.select(of: self, transform)
    }
}

extension Query.Consumer {
    /// Returns a part of what the consumer shows, or another value made from it.
    ///
    /// - Parameter transform: Makes the part. Called on the main actor, once for each value. If it throws, the phase of the
    ///   selection is a failure.
    public func select<Output: Equatable & Sendable>(
        _ transform: @escaping @MainActor (Response) throws -> Output
    ) -> SelectedQuery<Output> {
        model.select(of: self, transform)
    }
}

extension QueryModel {
    fileprivate func select<Output: Equatable & Sendable>(
        of query: AnyObject, _ transform: @escaping @MainActor (Value) throws -> Output
    ) -> SelectedQuery<Output> {
        let selection = Selection(transform)
        let selected = snapshots.map { snapshot in MainActor.assumeIsolated { selection.part(of: snapshot) } }
        return SelectedQuery(query, first: selection.part(of: snapshot), snapshots: selected.eraseToAnyPublisher())
    }
}

/// Selects from snapshots, once from each value.
@MainActor
final class Selection<Value: Sendable, Output: Sendable> {
    private let transform: @MainActor (Value) throws -> Output
    private var last: (key: QueryKey, valueVersion: UInt64, output: Output?, failure: (any Error)?)?

    init(_ transform: @escaping @MainActor (Value) throws -> Output) {
        self.transform = transform
    }

    func part(of source: Snapshot<Value>) -> Snapshot<Output> {
        guard let value = source.value else { return Snapshot(selecting: nil, failure: nil, of: source) }
        if let last, !source.isPlaceholder, last.key == source.key, last.valueVersion == source.valueVersion {
            return Snapshot(selecting: last.output, failure: last.failure, of: source)
        }
        let previous = last.flatMap { $0.key == source.key ? $0.output : nil }
        do {
            let output = try transform(value)
            return remember(output, nil, source)
        } catch {
            return remember(previous, error, source)
        }
    }

    private func remember(_ output: Output?, _ failure: (any Error)?, _ source: Snapshot<Value>) -> Snapshot<Output> {
        // A placeholder has no version, and its output must not become the last output.
        if !source.isPlaceholder { last = (source.key, source.valueVersion, output, failure) }
        return Snapshot(selecting: output, failure: failure, of: source)
    }
}
