import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("The cost of a request")
struct LockCountTests {
    /// 13 of these locks belong to the lab, its clock, its events, the server and the recorder.
    @Test("A request of a query, and its response, sent to one subscriber, take at most 57 locks")
    func refetch() {
        let lab = QueryLab()
        let server = Server(lab, Int.self, User.self)
        let query = UserByID(key: "user", cache: InMemoryQueryCache(), client: lab.client, fetcher: server.fetch)
        let states = Recorder<String>()
        let subscription = query.statePublisher.sink { states.append("\($0.value?.name ?? "none")") }
        query.refetch(request: 1)
        server.succeed(with: ann)
        let count = countLocks {
            query.refetch(request: 1)
            server.succeed(with: bob)
        }
        #expect(states.all.last == "Bob")
        #expect(count > 0 && count <= 57, "\(count)")
        subscription.cancel()
    }
}
