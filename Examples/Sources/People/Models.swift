import Pigeon
import PigeonHTTP

@MainActor final class AppSession: ObservableObject {
    @Published var isSignedIn = true
    @Published var message: String?
    let client: QueryClient
    private var failures: QuerySubscription?

    init(_ server: any Server, environment: QueryEnvironment = QueryEnvironment()) {
        client = QueryClient(dependencies: Dependencies(server as any Server), environment: environment)
        failures = client.onFailure { [weak self] error, event in
            Task { @MainActor in await self?.report(error, event) }
        }
    }
    func signOut() async {
        (isSignedIn, message) = (false, nil)
        _ = try? await client.clear()
    }
    private func report(_ error: any Error, _ event: QueryEvent) async {
        if (error as? HTTPError)?.statusCode == 401 { return await signOut() }
        guard event.mutation != nil else { return }  // the screens show why a fetch failed
        message = error.userMessage
    }
}

@MainActor final class PersonModel: ObservableObject {
    let person: Query<Void, Person>
    let team: Query<Void, Team>
    init(_ id: Int, client: QueryClient) {
        person = Query(.person(id), client: client)
        team = Query(following: person) { .team($0.teamID) }
    }
}

@MainActor final class SearchModel: ObservableObject {
    @Published var text = "" { didSet { results.refetch(request: text) } }
    let results: Query<String, [Person]>
    init(client: QueryClient) { results = Query(client: client) { $0.isEmpty ? .nothing : .search($0) } }
}
