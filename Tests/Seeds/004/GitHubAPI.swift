import Foundation
import PigeonREST

// The article's third and fourth blocks: an API that gives out resources, and one that gives out publishers. Each function's
// body is the app's, as is where the service comes from.

enum OfResources {
    class _GitHubAPI {
        let service: Service

        init(_ service: Service) {
            self.service = service
        }

        func user(_ username: String) -> Resource {
            service.resource("/users").child(username.lowercased())
        }
    }
}

enum OfPublishers {
    class _GitHubAPI {
        let service: Service

        init(_ service: Service) {
            self.service = service
        }

        func user(_ username: String) -> AnyPublisher<ResourceState<User>, Never> {
            service.resource("/users").child(username.lowercased()).statePublisher()
        }
    }
}

/// The app's API, whose part the article shows: with signing in.
final class GitHubAPI: OfResources._GitHubAPI {
    private let token = Token()
    let isAuthenticated = CurrentValueSubject<Bool, Never>(false)

    override init(_ service: Service) {
        super.init(service)
        service.configureTransformer("/users/*/repos") { try JSONDecoder().decode([Repository].self, from: $0.content) }
        service.configureTransformer("/users/*") { try JSONDecoder().decode(User.self, from: $0.content) }
        service.configure("**") { [token] in
            $0.pipeline[.parsing].removeTransformers()
            $0.pipeline[.cleanup].add(GitHubErrorMessageExtractor())
            if let token = token.value.withLock({ $0 }) { $0.headers["Authorization"] = token }
        }
    }

    func repositories(of user: User) -> Resource {
        self.user(user.login).child("repos")
    }

    func logIn(token: String) {
        self.token.value.withLock { $0 = token }
        service.invalidateConfiguration()
        service.wipeResources()
        isAuthenticated.send(true)
    }
}

/// What tells GitHub who asks.
private final class Token: Sendable {
    let value = Locked<String?>(nil)
}

/// Takes what GitHub says of an error for what users are told.
struct GitHubErrorMessageExtractor: ResponseTransformer {
    func process(_ response: Response) -> Response {
        guard case .failure(var error) = response, let body: Data = error.entity?.typedContent(),
            let said = try? JSONDecoder().decode([String: String].self, from: body)["message"]
        else { return response }
        error.userMessage = said
        return .failure(error)
    }
}
