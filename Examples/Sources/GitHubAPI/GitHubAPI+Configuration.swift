import Foundation
import PigeonREST

extension GitHubAPI {
    /// - Parameter session: Who is signed in, asked for anew whenever configurations are made.
    static func configure(_ service: Service, session: @escaping @Sendable () -> Session) {
        service.configure(description: "errors in GitHub's words") {
            $0.pipeline[.cleanup].add(GitHubErrorMessageExtractor())
        }
        // Only below the base URL: a token is not for whoever an answer links to.
        service.configure("**", description: "what GitHub asks for, and the token") {
            let session = session()
            $0.headers["Accept"] = "application/vnd.github+json"
            if let token = session.token { $0.headers["Authorization"] = "Bearer \(token)" }
            if let cache = session.cache { $0.pipeline[.rawData].cacheUsing(cache) }
        }
        service.configure("**", description: "queries fail without a network at once, as resources do") {
            $0.query {
                $0.networkMode = .always
                $0.refetchOnReconnect = .ifStale
            }
        }
        service.configure("/search/**", description: "what is found is soon old, and no start shows it again") {
            $0.expirationTime = 10
            $0.pipeline.removeAllCaches()
        }
        model(of: "/user", as: User.self, in: service)
        model(of: "/users/*", as: User.self, in: service)
        model(of: "/users/*/repos", as: [Repository].self, in: service)
        model(of: "/repos/*/*", as: Repository.self, in: service)
        // A repository in which nobody wrote has no list: 204.
        model(of: "/repos/*/*/contributors", as: [User].self, empty: [], in: service)
        model(of: "/repos/*/*/languages", as: [String: Int].self, in: service)
        service.configureTransformer("/search/repositories") { (entity: Entity<Data>) in
            try JSONDecoder().decode(SearchResults<Repository>.self, from: entity.content).items
        }
        service.configure("/user/starred/*/*", requestMethods: [.get], description: "whether it is starred") {
            $0.pipeline[.model].add(TrueIfResourceFound())
        }
        showWaitingStars(in: service)
    }

    static func configure(_ images: Service, cache: (any QueryCacheType)?) {
        images.configure(description: "pictures, the same for all") {
            $0.expirationTime = 3600
            guard let cache else { return }
            $0.pipeline[.rawData].cacheUsing(
                PersistentEntityCache<Data>(in: cache, name: "avatars", isolation: .sharedByAllUsers))
        }
    }

    /// - Parameter empty: What a body of no bytes stands for; `nil` where there is always one.
    private static func model<Model: Decodable & Sendable>(
        of pattern: String, as type: Model.Type, empty: Model? = nil, in service: Service
    ) {
        service.configure(pattern, requestMethods: [.get], description: "\(pattern) as \(type)") {
            $0.pipeline[.model].add(
                ResponseContentTransformer(onEmptyBody: empty == nil ? .skip : .transform) { (entity: Entity<Data>) in
                    if let empty, entity.content.isEmpty { return empty }
                    return try JSONDecoder().decode(Model.self, from: entity.content)
                })
        }
    }
}
