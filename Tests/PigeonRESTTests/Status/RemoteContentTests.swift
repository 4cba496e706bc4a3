import Foundation
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Content of one resource at a time")
@MainActor
struct RemoteContentTests {
    let provider = ManualProvider()
    let clock = ManualClock()
    let service: Service
    let content = RemoteContent<String>()
    let seen = Recorder<String>()

    init() {
        let client = QueryClient(environment: QueryEnvironment(clock: clock))
        service = Service(baseURL: "https://api.test", networking: provider, client: client)
        content.onChange = { [seen] shown in seen.append(Self.name(shown)) }
    }

    private static func name(_ shown: RemoteContent<String>.Shown) -> String {
        switch shown {
        case .content(let text): text
        case .loading: "loading"
        case .alternate: "alternate"
        }
    }

    @Test("what is in memory shows within the assignment", .rule("Siesta 39"))
    func memory() {
        let resource = service.resource("/a")
        resource.overrideLocalContent(with: "one")
        content.resource = resource
        #expect(Self.name(content.shown) == "one")
        #expect(seen.all.last == "one")
        #expect(provider.exchanges.isEmpty)
    }

    @Test(
        "it says that something is loaded, then shows it, or what stands for what cannot be loaded", .rule("Siesta 39"))
    func loading() async {
        content.resource = service.resource("/a")
        #expect(Self.name(content.shown) == "loading")
        provider.last?.answer("one")
        await until { seen.all.last == "one" }
        content.resource = service.resource("/b")
        #expect(Self.name(content.shown) == "loading")
        provider.last?.answer("", status: 500)
        await until { seen.all.last == "alternate" }
        content.resource = nil
        #expect(Self.name(content.shown) == "alternate")
    }

    @Test(
        "a resource that is replaced is let go, and its load after a while, unless somebody observes it",
        .rule("Siesta 39"))
    func replacing() {
        let (one, two) = (service.resource("/a"), service.resource("/b"))
        content.resource = one
        content.resource = two
        #expect(!one.isObserved)
        #expect(provider.exchanges.map(\.isCancelled) == [false, false])
        clock.advance(by: .milliseconds(50))
        #expect(provider.exchanges.map(\.isCancelled) == [true, false])
        let before = seen.all.count
        one.overrideLocalContent(with: "late")
        #expect(seen.all.count == before)
    }

    @Test("Many that show one resource share its load")
    func sharing() {
        let all = (0..<40).map { _ in RemoteContent<String>() }
        for one in all { one.resource = service.resource("/a") }
        content.resource = service.resource("/a")
        content.resource = service.resource("/a")
        #expect(provider.exchanges.count == 1)
    }

    @Test("What is told of one resource may set another")
    func reentrancy() {
        let (one, two) = (service.resource("/a"), service.resource("/b"))
        two.overrideLocalContent(with: "two")
        content.onChange = { [weak content, seen] shown in
            seen.append(Self.name(shown))
            if content?.resource === one { content?.resource = two }
        }
        content.resource = one
        #expect(content.resource === two)
        #expect(seen.all.last == "two")
        #expect(!one.isObserved)
    }

    @Test("It is let go with its owner, and its load with it")
    func lifetime() {
        do {
            let content = RemoteContent<String>()
            content.resource = service.resource("/a")
            #expect(service.resource("/a").isObserved)
        }
        #expect(!service.resource("/a").isObserved)
        clock.advance(by: .milliseconds(50))
        #expect(provider.last?.isCancelled == true)
    }
}
