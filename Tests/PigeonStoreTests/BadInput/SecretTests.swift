import PigeonStore
import PigeonTesting
import Testing

@Suite("What a store says of what it holds", .timeLimit(.minutes(1)))
struct SecretTests {
    struct Leaky: Error, CustomStringConvertible {
        var description: String { "token 4242" }
    }

    @Test(
        "No item and no key of a page is in an event, and no error's contents in a state",
        arguments: StoreLab.Setting.all)
    func pages(_ setting: StoreLab.Setting) async {
        let bench = StoreLab(setting, .twoWay)
        let states = Locked<[String]>([])
        let published: LoadingStatePublisher<[Int]> = bench.store.publish()
        let subscription = published.sink { state in
            let text = "\(state)"
            states.withLock { $0.append(text) }
        }
        bench.settle()
        bench.answer([4242], next: "4242n", prev: "4242p")
        for (request, call) in [(StoreLab.Request.next(), "next 4242n"), (.prev(), "prev 4242p")] {
            let failing = bench.begin(request)
            bench.fail(Leaky(), to: call)
            _ = await bench.end(of: failing)
            let repeating = bench.begin(request)
            bench.answer([42_421], next: "4242n", prev: "4242p", to: call)
            _ = await bench.end(of: repeating)
        }
        let update = bench.begin(.updateKeys([42_422], next: .set("4242m"), prev: .set("4242q")))
        _ = await bench.end(of: update)
        let refresh = bench.begin(.refresh)
        bench.fail(Leaky())
        _ = await bench.end(of: refresh)
        bench.place.change { $0.troubles = [.load: .throwing] }
        let broken = bench.begin(.validate)
        bench.fail(Leaky())
        _ = await bench.end(of: broken)
        let events = bench.lab.log
        #expect(events.contains { $0.contains("misuse") })
        #expect(events.filter { $0.contains("4242") } == [])
        let seen = states.withLock { $0 }
        #expect(seen.contains { $0.contains("Leaky") })
        #expect(seen.filter { $0.contains("token") || $0.contains("4242n") || $0.contains("4242p") } == [])
        subscription.cancel()
    }

    @Test("Errors of stores say nothing of data")
    func errors() {
        for error in [
            NoSuchElementError(), AdditionalRequestOnNilException(), AdditionalRequestOnErrorStateException(),
        ] as [any Error] {
            #expect("\(error)".contains(":"))
            #expect(!"\(error)".contains("4242"))
        }
    }
}
