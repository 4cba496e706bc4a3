import PigeonREST
import Testing

@Suite("Descriptions of resource events")
struct EventDescriptionTests {
    @Test("say where new data came from")
    func newData() {
        #expect(ResourceEvent.newData(.cache).description == "newData(cache)")
        #expect(ResourceEvent.newData(.localOverride).description == "newData(localOverride)")
        #expect(ResourceEvent.notModified.description == "notModified")
    }
}
