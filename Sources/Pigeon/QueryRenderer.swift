/// Converts the states of a query to output to show.
///
/// The output can be of any type, such as text, HTML or views. If all cases have the same type, `view(for:)` returns
/// that type. A SwiftUI renderer can use a different view type for each case.
///
/// ```swift
/// struct UsersText: QueryRenderer {
///     var loadingView: String { "Loading..." }
///     func successView(for users: [User]) -> String { users.map(\.name).joined(separator: "\n") }
///     func failureView(for failure: any Error) -> String { "It failed..." }
/// }
/// print(UsersText().view(for: users.state))
/// ```
///
/// The protocol is isolated to the main actor, as queries are, so that a SwiftUI view can conform to it.
@MainActor
@preconcurrency
public protocol QueryRenderer<Response> {
    /// The type of the response of queries.
    associatedtype Response
    /// The type of the output before the first request.
    associatedtype IdleView = LoadingView
    /// The type of the output during a load.
    associatedtype LoadingView
    /// The type of the output for a value.
    associatedtype SuccessView
    /// The type of the output for an error.
    associatedtype FailureView

    /// The output before the first request. The default is ``loadingView``.
    var idleView: IdleView { get }
    /// The output during a load.
    var loadingView: LoadingView { get }
    /// Returns the output for a value.
    func successView(for response: Response) -> SuccessView
    /// Returns the output for an error.
    func failureView(for failure: any Error) -> FailureView
}

extension QueryRenderer where IdleView == LoadingView {
    /// The default is ``loadingView``.
    public var idleView: IdleView { loadingView }
}

/// The output of a ``QueryRenderer``, with a case for each type.
public enum QueryRendering<Idle, Loading, Success, Failure> {
    /// The output before the first request.
    case idle(Idle)
    /// The output during a load.
    case loading(Loading)
    /// The output for a value.
    case success(Success)
    /// The output for an error.
    case failure(Failure)
}

extension QueryRenderer {
    /// Renders a state, and keeps the type of each case.
    public func rendering(
        for state: QueryState<Response>
    ) -> QueryRendering<IdleView, LoadingView, SuccessView, FailureView> {
        switch state {
        case .idle: .idle(idleView)
        case .loading: .loading(loadingView)
        case .succeed(let response): .success(successView(for: response))
        case .failed(let error): .failure(failureView(for: error))
        }
    }
}

extension QueryRenderer
where IdleView == SuccessView, LoadingView == SuccessView, FailureView == SuccessView {
    /// Renders a state.
    public func view(for state: QueryState<Response>) -> SuccessView {
        switch rendering(for: state) {
        case .idle(let view), .loading(let view), .success(let view), .failure(let view): view
        }
    }
}
