public import CombineShim

/// Publishes what a store says of its data.
///
/// ```swift
/// func followUser(_ id: UserId) -> LoadingStatePublisher<User> {
///     users(id).publish()
/// }
/// ```
public typealias LoadingStatePublisher<DATA> = AnyPublisher<LoadingState<DATA>, Never>
