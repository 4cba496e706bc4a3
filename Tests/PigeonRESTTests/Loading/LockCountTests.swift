import PigeonBase
import PigeonREST
import Testing

@Suite("The cost of a load")
struct LockCountTests {
    /// Some of them are the lab's, its clock's and the observer's own.
    @Test("A load and its answer, told to one observer, take at most 75 locks")
    func locks() {
        let bench = RESTBench()
        let resource = bench.loaded("/users/1", "Ann")
        let heard = bench.record(resource)
        var count = 0
        let follower = _LockPoints.Follower { count += 1 }
        _LockPoints.follow(follower) {
            resource.load()
            bench.answer("Bea")
        }
        #expect(heard.all == ["observerAdded idle Ann", "requested loading Ann", "newData(network) idle Bea"])
        #expect(count > 0 && count <= 75, "\(count)")
    }
}
