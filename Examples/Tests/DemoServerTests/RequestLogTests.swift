import Testing

@testable import DemoHTTP

@Suite("Request log")
struct RequestLogTests {
    private func record(_ target: String) -> RequestRecord {
        RequestRecord(method: "GET", target: target)
    }

    @Test("An answer to a request from before a reset finds no record of a later one")
    func lateAnswer() {
        var log = RequestLog()
        let early = log.append(record("/early"))
        log.reset()
        let later = log.append(record("/later"))
        log.answer(early, status: 200)
        #expect(log.answered == 0)
        #expect(log.records.map(\.status) == [nil])
        log.answer(later, status: 404)
        #expect(log.records.map(\.status) == [404])
        #expect(log.answered == 1)
    }

    @Test("A long log drops its oldest records, counts on, and still finds the newest")
    func long() {
        var log = RequestLog()
        for index in 1..<(2 * Limits.keptRecords) { _ = log.append(record("/posts/\(index)")) }
        let last = log.append(record("/last"))
        log.answer(0, status: 200)
        log.answer(last, status: 304)
        #expect(log.records.count == Limits.keptRecords)
        #expect(log.records.last?.status == 304)
        #expect(log.count == 2 * Limits.keptRecords)
        #expect(log.answered == 1)
        #expect(log.notModified == 1)
    }

    @Test("A path counts with what lies below it, its query left aside, and not with a longer name")
    func paths() {
        var log = RequestLog()
        for target in ["/posts", "/posts?_page=1", "/posts/1/comments", "/postscript"] {
            _ = log.append(record(target))
        }
        #expect(log.count(path: "/posts") == 3)
        #expect(log.count(path: "/posts/1") == 1)
        #expect(log.count(path: "/") == 4)
        #expect(log.count(method: "PUT", path: "/posts") == 0)
    }
}
