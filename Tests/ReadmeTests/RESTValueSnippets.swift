import Foundation
import PigeonREST
import PigeonSQLite

/// The snippets of PigeonREST's values, pipeline and caches.
private enum RESTValueSnippets {
    struct User: Codable, Sendable {
        let name: String
    }

    struct XMLResponseTransformer: ResponseTransformer {
        func process(_ response: Response) -> Response { response }
    }

    typealias YAMLResponseTransformer = XMLResponseTransformer

    final class Label {
        var text = ""
    }

    static func useDefaultImage() {}

    static func refreshToken(andRepeat request: any Request, after info: ResponseInfo) -> RequestChainAction {
        .useThisResponse
    }

    static func values(_ resource: Resource) {
        let user = Entity<any Sendable>(content: User(name: "Ada"), contentType: "application/json")
        resource.overrideLocalData(with: user)
    }

    static func contents(_ resource: Resource) {
        let name = resource.jsonDict["name"] as? String
        let user: User? = resource.typedContent()
        print(name ?? "", user?.name ?? "")
    }

    @MainActor
    static func errors(_ resource: Resource, _ label: Label) {
        resource.load().onFailure { error in
            label.text = error.userMessage
            if error.cause is RequestError.Cause.UnparsableImage { useDefaultImage() }
        }
    }

    static func configurations(_ service: Service) {
        service.configure("/search/**") {
            $0.expirationTime = 10
            $0.headers["Accept"] = "application/vnd.github+json"
        }
        service.configure {
            $0.decorateRequests { resource, request in
                request.chained { refreshToken(andRepeat: request, after: $0) }
            }
            $0.query { $0.pollEvery = .seconds(60) }
        }
    }

    static func pipelines(_ service: Service, _ entities: PersistentEntityCache<User>) {
        service.configure {
            $0.pipeline[.parsing].add(XMLResponseTransformer(), contentTypes: ["*/xml"])
            $0.pipeline[.model].cacheUsing(entities)
        }
        service.configure {
            $0.pipeline[.model].add(
                ResponseContentTransformer { (entity: Entity<String>) in URL(string: entity.content) })
        }
        service.configure("/users/*") { $0.pipeline[.model].add(ResponseContentTransformer(decoding: User.self)) }
        service.configure { $0.pipeline[.rawData].cacheUsing(entities) }
    }

    static func transformers() {
        let yaml = StandardTransformer(
            name: "YAML", stage: .parsing, contentTypes: ["*/yaml", "*/*+yaml"], transformer: YAMLResponseTransformer())
        let service = Service(baseURL: "https://example.com", standardTransformers: [.json, yaml])
        print(service)
    }

    static func caches(_ service: Service, _ caches: URL, _ userID: String) throws {
        let file = try SQLiteQueryCache(at: caches.appendingPathComponent("api.sqlite"))
        service.configure {
            $0.pipeline[.model].cacheUsing(
                PersistentEntityCache<User>(in: file, isolation: .perUser(identifiedBy: userID)))
        }
    }
}
