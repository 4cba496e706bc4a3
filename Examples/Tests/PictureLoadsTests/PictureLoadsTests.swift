import Foundation
import PictureLoads
import PigeonCore
import PigeonTesting
import Testing

private struct Overloaded: TransientErrorType {
    var statusCode: Int? { 503 }
}

@Suite("Pictures, whose loads are objects")
struct PictureLoadsTests {
    let lab = QueryLab()
    let server: Server
    let disk: Disk
    let library: PictureLibrary
    let url: URL
    let old = Data("old".utf8)
    let new = Data("new".utf8)

    init() throws {
        url = try #require(URL(string: "ann.png"))
        server = Server(answers: lab.fetcher(returning: Data.self))
        disk = Disk(
            reads: lab.fetcher(returning: (data: Data, age: Duration)?.self), writes: lab.fetcher(returning: Void.self))
        library = PictureLibrary(lab.client, files: disk, downloader: server)
    }

    /// A task that waits for the data of a load.
    private func follow(_ load: PictureLoad) -> LabTask<Data> { lab.start { try await load.data } }

    // MARK: Sharing

    @Test func `two screens that load the same picture share one load, and one download`() {
        disk.empty()
        let (one, other) = (library.picture(at: url), library.picture(at: url))
        let load = one.load()
        #expect(other.load() === load)
        let waiting = follow(load)
        #expect(load.progress == 0.5)
        server.answers.succeed(with: new)
        #expect(waiting.value == new && one.data == new && other.data == new)
        #expect(server.answers.calls.count == 1)
        #expect(one.load() !== load, "it has ended")
    }

    @Test func `a fetch that the client begins itself has a load, which screens join`() {
        disk.empty()
        let picture = library.picture(at: url)
        let changes = picture.onChange { _ in }
        lab.settle()
        let load = picture.load()
        let fetch = lab.start { [client = lab.client] in try await client.fetch(picture.definition) }
        server.answers.succeed(with: new)
        #expect(follow(load).value == new && fetch.value == new)
        #expect(server.answers.calls.count == 1)
        #expect(
            lab.log.filter { $0.contains("fetching") || $0.contains("joined") } == [
                "pictures/ann.png fetching (observed by pictures)", "pictures/ann.png joined (requested by pictures)",
                "pictures/ann.png joined (requested by pictures)",
            ])
        withExtendedLifetime(changes) {}
    }

    @Test func `a picture that is shown is loaded again when it is stale and the network returns`() {
        disk.empty()
        let picture = library.picture(at: url)
        let changes = picture.onChange { _ in }
        server.answers.succeed(with: old)
        lab.setOnline(false)
        lab.advance(by: .hours(25))
        lab.setOnline(true)
        server.answers.succeed(with: new)
        #expect(picture.data == new)
        #expect(lab.log.contains("pictures/ann.png fetching (reconnect)"))
        changes.cancel()
        lab.setOnline(false)
        lab.advance(by: .hours(25))
        lab.setOnline(true)
        #expect(server.answers.calls.count == 2, "nobody shows it")
    }

    // MARK: Ends

    @Test func `a cancelled load ends its download and its fetch, and leaves the picture`() {
        disk.empty()
        let picture = library.picture(at: url)
        picture.load()
        server.answers.succeed(with: old)
        let load = picture.load()
        let waiting = follow(load)
        load.cancel()
        lab.settle()
        #expect(waiting.error is CancellationError && server.answers.pendingCount == 0)
        #expect(picture.data == old && picture.error == nil && !lab.client.isFetching())
    }

    @Test func `a fetch that is cancelled cancels its load`() {
        disk.empty()
        let waiting = follow(library.picture(at: url).load())
        lab.client.cancel(.path("pictures"))
        lab.settle()
        #expect(waiting.error is CancellationError && server.answers.pendingCount == 0)
    }

    @Test func `a task that no longer waits for a load leaves it to the others`() {
        disk.empty()
        let load = library.picture(at: url).load()
        let (one, other) = (follow(load), follow(load))
        one.cancel()
        #expect(one.error is CancellationError)
        server.answers.succeed(with: new)
        #expect(other.value == new)
    }

    @Test func `a retry has a load of its own`() {
        disk.empty()
        let picture = library.picture(at: url)
        let changes = picture.onChange { _ in }
        let first = follow(picture.load())
        server.answers.fail(with: Overloaded())
        #expect(first.error is Overloaded && picture.error == nil)
        lab.advance(by: .seconds(1))
        let second = follow(picture.load())
        server.answers.fail(with: Overloaded())
        #expect(second.error is Overloaded)
        let third = follow(picture.load())
        #expect(server.answers.pendingCount == 0, "it is sent when the client retries")
        lab.advance(by: .seconds(2))
        server.answers.succeed(with: new)
        #expect(third.value == new && picture.data == new)
        #expect(server.answers.calls.count == 3)
        withExtendedLifetime(changes) {}
    }

    @Test func `a load that begins offline is sent when the network returns`() {
        disk.empty()
        lab.setOnline(false)
        let waiting = follow(library.picture(at: url).load())
        #expect(server.answers.calls.isEmpty)
        lab.setOnline(true)
        server.answers.succeed(with: new)
        #expect(waiting.value == new)
    }

    // MARK: Reloads

    @Test func `a load that a reload has overtaken goes on for those who hold it`() {
        disk.empty()
        let picture = library.picture(at: url)
        let overtaken = follow(picture.load())
        let reload = follow(picture.reload())
        server.answers.succeed(1, with: new)
        #expect(reload.value == new && picture.data == new && overtaken.result == nil)
        server.answers.succeed(0, with: old)
        #expect(overtaken.value == old && picture.data == new)
        #expect(disk.changes == ["store/ann.png"], "the older one is not stored")
    }

    @Test func `a load that a reload has overtaken ends if nobody holds it`() {
        disk.empty()
        let picture = library.picture(at: url)
        picture.load()
        picture.reload()
        lab.settle()
        #expect(server.answers.pendingCount == 2)
        server.answers.succeed(1, with: new)
        #expect(server.answers.pendingCount == 0 && picture.data == new)
    }

    // MARK: Disk

    @Test func `a fresh picture on disk is shown, and not downloaded until it is stale`() {
        let picture = library.picture(at: url)
        let waiting = follow(picture.load())
        disk.reads.succeed(with: (old, .hours(20)))
        #expect(waiting.value == old && picture.data == old && server.answers.calls.isEmpty)
        #expect(!lab.client.snapshot(of: picture.definition).isStale)
        lab.advance(by: .hours(4))
        #expect(lab.client.snapshot(of: picture.definition).isStale)
    }

    @Test func `a stale picture on disk is shown while it is downloaded`() {
        disk.writes.answerCalls { _ in }
        let picture = library.picture(at: url)
        let waiting = follow(picture.load())
        disk.reads.succeed(with: (old, .hours(30)))
        #expect(picture.data == old && waiting.result == nil)
        #expect(lab.client.snapshot(of: picture.definition).age == .hours(30))
        server.answers.succeed(with: new)
        #expect(waiting.value == new && picture.data == new)
    }

    @Test(arguments: [1, 30])
    func `a picture that was on disk before a sign-out does not come back`(age: Int) {
        let picture = library.picture(at: url)
        let changes = picture.onChange { _ in }
        lab.settle()
        let signOut = lab.start { [library] in await library.removeAll() }
        disk.writes.succeed()
        #expect(signOut.value != nil)
        disk.reads.succeed(with: (old, .hours(age)))
        #expect(picture.data == nil && server.answers.pendingCount == 0)
        withExtendedLifetime(changes) {}
    }

    @Test func `a picture on disk does not replace one that has come in the meantime`() throws {
        let picture = library.picture(at: url)
        picture.load()
        lab.settle()
        try lab.client.set(new, for: picture.definition)
        disk.reads.succeed(with: (old, .hours(30)))
        #expect(picture.data == new)
    }

    @Test func `a download is stored, and removed if a sign-out came first`() {
        disk.reads.answerCalls { _ in nil }
        let picture = library.picture(at: url)
        picture.load()
        server.answers.succeed(with: new)
        #expect(disk.changes == ["store/ann.png"])
        let signOut = lab.start { [library] in await library.removeAll() }
        disk.writes.succeed(1, with: ())
        #expect(signOut.value != nil && disk.changes == ["store/ann.png", "remove all"])
        disk.writes.succeed(0, with: ())
        #expect(disk.changes == ["store/ann.png", "remove all", "remove/ann.png"])
    }

    // MARK: Memory

    @Test func `pictures that no object stands for are removed, least recently used first`() throws {
        disk.empty()
        let urls = try (1...3).map { try #require(URL(string: "\($0).png")) }
        var held: Picture? = library.picture(at: urls[0])
        for url in urls {
            library.picture(at: url).load()
            server.answers.succeed(with: new)
        }
        lab.advance(by: .hours(1))
        library.removeUnused(keeping: 2)
        #expect(lab.client.count == 2 && held?.data == new)
        library.removeUnused(keeping: 0)
        #expect(lab.client.count == 1 && held?.data == new)
        held = nil
        library.removeUnused(keeping: 0)
        #expect(lab.client.count == 0)
    }

    @Test func `pictures and loads are released, and a client that is released ends its loads`() {
        disk.empty()
        var client: QueryClient? = QueryClient(environment: lab.environment)
        var picture = client.map { PictureLibrary($0, files: disk, downloader: server).picture(at: url) }
        var load = picture?.load()
        server.answers.succeed(with: old)
        weak let (endedLoad, releasedPicture, releasedClient) = (load, picture, client)
        load = nil
        #expect(endedLoad == nil)
        let waiting = picture.map { follow($0.load()) }
        #expect(server.answers.pendingCount == 1)
        (picture, client) = (nil, nil)
        lab.settle()
        #expect(releasedPicture == nil && releasedClient == nil)
        #expect(waiting?.error is CancellationError && server.answers.pendingCount == 0)
    }
}
