/// Turns the states of a query into something to show.
///
/// What it renders to is yours: text, HTML, or views. Where all cases render to one type, `view(for:)` gives that type; a
/// SwiftUI renderer may give each case a view of its own.
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
/// It is on the main actor, as queries are, so that a SwiftUI view can be one.
@MainActor
@preconcurrency
public protocol QueryRenderer<Response> {
    /// What queries bring.
    associatedtype Response
    /// What is shown before the first request.
    associatedtype IdleView = LoadingView
    /// What is shown during a load.
    associatedtype LoadingView
    /// What is shown of a value.
    associatedtype SuccessView
    /// What is shown of an error.
    associatedtype FailureView

    /// Shown before the first request. By default what is shown during a load.
    var idleView: IdleView { get }
    /// Shown during a load.
    var loadingView: LoadingView { get }
    /// Shown of a value.
    func successView(for response: Response) -> SuccessView
    /// Shown of an error.
    func failureView(for failure: any Error) -> FailureView
}

extension QueryRenderer where IdleView == LoadingView {
    /// What is shown during a load.
    public var idleView: IdleView { loadingView }
}

/// One of the things that a ``QueryRenderer`` shows.
public enum QueryRendering<Idle, Loading, Success, Failure> {
    /// What is shown before the first request.
    case idle(Idle)
    /// What is shown during a load.
    case loading(Loading)
    /// What is shown of a value.
    case success(Success)
    /// What is shown of an error.
    case failure(Failure)
}

extension QueryRenderer {
    /// Renders a state, keeping the type of each case.
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
