import PigeonStore
import PigeonTesting
import Testing

@Suite("A store whose cache takes its time")
struct SlowCacheTests {
    @Test("a cache that does not answer shows loading after a while, and its data when it does")
    func slowCache() async {
        let lab = QueryLab()
        let origin = Origin<String>(lab)
        let cacher = SlowCacher(lab)
        cacher.hold("load")
        let log = StoreLog(cacher.store(lab, origin))
        lab.advance(by: .milliseconds(249))
        #expect(log.words.isEmpty)
        lab.advance(by: .milliseconds(1))
        #expect(log.words == ["…"])
        cacher.hold()
        cacher.gate.answerAll(())
        #expect(log.words == ["…"])
        origin.answer("a")
        #expect(log.last == "a")
    }
}
