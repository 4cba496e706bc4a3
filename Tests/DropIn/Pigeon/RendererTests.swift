import Foundation
import Pigeon
import Testing

/// A renderer of text. What renders views is in `Tests/Seeds`, as it wants SwiftUI.
///
/// guide: `QueryRenderer`
struct UsersRenderer: QueryRenderer {
    // uses: QueryRenderer, QueryRenderer.loadingView, QueryRenderer.successView(for:), QueryRenderer.failureView(for:)
    var loadingView: String {
        "Loading..."
    }

    func successView(for response: [User]) -> String {
        response.map(\.name).joined(separator: ", ")
    }

    func failureView(for failure: Error) -> String {
        "It failed..."
    }
}

protocol NameRepresentable {
    var name: String { get }
}

extension User: NameRepresentable {}

/// uses: QueryRenderer.Response, QueryRenderer.LoadingView, QueryRenderer.SuccessView, QueryRenderer.FailureView
struct NameRepresentableRenderer<T: NameRepresentable>: QueryRenderer {
    typealias Response = T
    typealias LoadingView = String
    typealias SuccessView = String
    typealias FailureView = String

    var loadingView: String { "Loading..." }
    func failureView(for failure: Error) -> String { "" }
    func successView(for response: T) -> String { response.name }
}

@MainActor
@Suite("Pigeon 0.1: renderers", OwnSharedState())
struct RendererTests {
    // uses: QueryRenderer.view(for:)
    @Test func `a renderer shows each state`() {
        let states: [QueryState<[User]>] = [.idle, .loading, .succeed([ann, bob]), .failed(Broken())]
        let texts = states.map { UsersRenderer().view(for: $0) }
        #expect(texts == ["Loading...", "Loading...", "Ann, Bob", "It failed..."])
    }

    /// Code that is generic over renderers says what they render to.
    private func text<R: QueryRenderer>(_ state: QueryState<R.Response>, by renderer: R) -> String
    where R.IdleView == String, R.LoadingView == String, R.SuccessView == String, R.FailureView == String {
        renderer.view(for: state)
    }

    @Test func `a renderer is used for whatever has a name`() {
        let user = Query<Int, User>(key: "user", behavior: .startImmediately(1), fetcher: { API(name: "Ann").user($0) })
        let renderer = NameRepresentableRenderer<User>()
        #expect(renderer.view(for: user.state) == "Ann")
        #expect(renderer.view(for: .failed(Broken())) == "")
        #expect(renderer.view(for: .idle) == "Loading...")
        #expect(text(.succeed(bob), by: renderer) == "Bob")
    }
}
