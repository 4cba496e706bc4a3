import TestSupport
import Testing

@testable import PigeonHTTP

@Suite("When a stream of events is taken up again")
struct EventReconnectionTests {
    @Test(
        "any delay can be doubled as often as connections are lost", .rule("H15"),
        arguments: [Int64.max, 1 << 40, 31, -5])
    func anyDelay(seconds: Int64) {
        let reconnection = EventReconnection(delay: .seconds(seconds))
        for failures in [1, 2, 11, 12, 64, .max] {
            let wait = reconnection.wait(failures: failures, asked: nil)
            #expect(wait.map { $0 >= max(.milliseconds(100), .seconds(seconds)) } == true)
            #expect(reconnection.wait(failures: failures, asked: .seconds(seconds)).map { $0 > .zero } == true)
        }
    }

    @Test(
        "whatever the delay, there are 100 ms between connections", .rule("H15"),
        arguments: [Duration.zero, .milliseconds(1)])
    func shortDelay(delay: Duration) {
        let reconnection = EventReconnection(delay: delay)
        for failures in [0, 1] { #expect(reconnection.wait(failures: failures, asked: nil) == .milliseconds(100)) }
        #expect(reconnection.wait(failures: 2, asked: nil) == .milliseconds(200))
        #expect(reconnection.wait(failures: 0, asked: delay) == .milliseconds(100))
    }
}
