import Foundation
import PigeonCore
import PigeonHTTP
import PigeonSQLite
import PigeonTesting
import Testing

@testable import Parcels

private let books = Parcel(id: 1, name: "Books", status: .packed, depotID: 7)
private let lamp = Parcel(id: 2, name: "Lamp", status: .shipped, depotID: 7)
private let north = Depot(name: "North")

@Suite("The tool for parcels", .timeLimit(.minutes(1)))
struct ParcelToolTests {
    let lab: QueryLab
    let api: ScriptedParcels
    let tool: ParcelTool
    let printed = Lines()

    init() {
        lab = QueryLab()
        api = ScriptedParcels(lab)
        let client = QueryClient(dependencies: Dependencies(api as any ParcelAPI), environment: lab.environment)
        tool = ParcelTool(client: client, output: printed.append)
    }

    private func start(_ words: String...) -> LabTask<Bool> {
        lab.start { [tool] in try await tool.run(words) { nil } }
    }

    private var requests: [[String]] { api.lists.calls.map(\.arguments) }

    private func parcel(_ status: Parcel.Status) -> Parcel {
        Parcel(id: 1, name: "Books", status: status, depotID: 7)
    }

    // MARK: list

    @Test func `list prints each page when it arrives`() {
        let list = start("list")
        #expect(requests == [["page", "1", "no tag"]])
        api.lists.succeed(with: [books])
        #expect(printed.take() == ["1 Books, packed"] && list.result == nil)
        api.lists.succeed(with: [lamp])
        #expect(printed.take() == ["2 Lamp, shipped"])
        api.lists.succeed(with: [])
        #expect(printed.take() == [] && list.value == true)
        #expect(requests.map { $0[1] } == ["1", "2", "3"])
    }

    @Test func `the second list requests each page with its own tag, and a page that has not changed stays as it is`() {
        let first = start("list")
        for page in [[books], [lamp], []] { api.lists.succeed(with: page) }
        let version = tool.client.snapshot(of: .parcels()).valueVersion
        #expect(first.value == true && printed.take().count == 2)
        let second = start("list")
        for page in [[books], [lamp], []] { api.lists.succeed(with: page) }
        #expect(requests.suffix(3) == [["page", "1", "tag 1"], ["page", "2", "tag 2"], ["page", "3", "tag 3"]])
        #expect(second.value == true && printed.take() == ["1 Books, packed", "2 Lamp, shipped"])
        #expect(tool.client.snapshot(of: .parcels()).valueVersion == version)
    }

    @Test func `a page that fails ends the list, after the pages before it`() async throws {
        let list = start("list")
        api.lists.succeed(with: [books])
        api.lists.fail(with: try await failure(after: .status(.serviceUnavailable)))
        #expect(printed.take() == ["1 Books, packed"])
        #expect(list.error?.userMessage == "The server has a problem. Try again later.")
    }

    // MARK: show

    @Test func `show prints a parcel with its depot, with one request for each`() {
        let show = start("show", "1")
        #expect(api.items.pending.map(\.arguments) == [["1"]] && api.depots.calls.isEmpty)
        api.items.succeed(with: books)
        #expect(api.depots.pending.map(\.arguments) == [["7"]])
        api.depots.succeed(with: north)
        #expect(show.value == true && printed.take() == ["1 Books, packed, at North"])
    }

    @Test func `two parcels at one depot need one request for it`() {
        let shows = [start("show", "1"), start("show", "2")]
        api.items.succeed(with: books)
        api.items.succeed(with: lamp)
        #expect(api.depots.pendingCount == 1)
        api.depots.succeed(with: north)
        #expect(shows.allSatisfy { $0.value == true })
        #expect(printed.take().sorted() == ["1 Books, packed, at North", "2 Lamp, shipped, at North"])
        let again = start("show", "1")
        api.items.succeed(with: books)
        #expect(again.value == true && api.depots.calls.count == 1)
    }

    @Test func `a parcel that does not exist is an error with a text for people`() async throws {
        let show = start("show", "9")
        api.items.fail(with: try await failure(after: .status(.notFound)))
        #expect(show.error?.userMessage == "This was not found." && printed.take() == [])
    }

    // MARK: search

    @Test func `texts that follow each other quickly need one request, for the last of them`() {
        let (texts, typing) = AsyncStream.makeStream(of: String.self)
        let search = lab.start { [tool] in
            try await tool.run(["search", "-"]) {
                for await text in texts { return text }
                return nil
            }
        }
        for text in ["l", "la", "lam"] {
            typing.yield(text)
            lab.advance(by: .milliseconds(200))
        }
        #expect(requests.isEmpty)
        lab.advance(by: .milliseconds(100))
        #expect(requests == [["named", "lam"]])
        api.lists.succeed(with: [lamp])
        #expect(printed.take() == ["2 Lamp, shipped"])
        typing.yield("lamb")
        lab.advance(by: .milliseconds(300))
        api.lists.succeed(with: [])
        #expect(printed.take() == ["nothing found for lamb"])
        typing.finish()
        lab.settle()
        #expect(search.value == true && requests.count == 2)
    }

    @Test func `the end of the input waits for the last search`() async throws {
        let (texts, typing) = AsyncStream.makeStream(of: String.self)
        let search = lab.start { [tool] in
            try await tool.run(["search", "-"]) {
                for await text in texts { return text }
                return nil
            }
        }
        typing.yield("lamp")
        typing.finish()
        lab.advance(by: .milliseconds(300))
        #expect(search.result == nil)
        api.lists.fail(with: try await failure(after: .status(.serviceUnavailable)))
        #expect(search.value == true && printed.take() == ["The server has a problem. Try again later."])
    }

    @Test func `search prints what is found for one text`() {
        let search = start("search", "lamp")
        lab.advance(by: .milliseconds(300))
        api.lists.succeed(with: [lamp])
        #expect(search.value == true && printed.take() == ["2 Lamp, shipped"])
        #expect(requests == [["named", "lamp"]])
    }

    // MARK: rename

    /// The names of parcel 1 in the list, the parcel and the search.
    private var names: [String?] {
        let client = tool.client
        return [
            client.value(of: .parcels())?.items.first?.name, client.value(of: .tracked(1))?.parcel.name,
            client.value(of: .parcels(named: "o"))?.first?.name,
        ]
    }

    /// Loads a list, the parcel and a search.
    private func load() {
        let commands = [start("list"), start("show", "1"), start("search", "o")]
        for page in [[books, lamp], []] { api.lists.succeed(with: page) }
        api.items.succeed(with: books)
        api.depots.succeed(with: north)
        lab.advance(by: .milliseconds(300))
        api.lists.succeed(with: [books])
        #expect(commands.allSatisfy { $0.value == true } && names == ["Books", "Books", "Books"])
        _ = printed.take()
    }

    @Test func `a new name shows at once in the list, the parcel and the search, and stays if it is confirmed`() {
        load()
        let rename = start("rename", "1", "Novels")
        #expect(names == ["Novels", "Novels", "Novels"] && printed.take() == ["Novels, not confirmed yet"])
        #expect(api.items.pending.map(\.arguments) == [["rename", "1", "Novels"]])
        api.items.succeed(with: Parcel(id: 1, name: "Novels", status: .packed, depotID: 7))
        #expect(rename.value == true && printed.take() == ["Novels, confirmed"])
        #expect(names == ["Novels", "Novels", "Novels"])
    }

    @Test func `a name that is refused goes back everywhere, and the error says so`() async throws {
        let refused = try await failure(after: .status(.unprocessableEntity))
        load()
        let rename = start("rename", "1", "Lamp")
        #expect(names == ["Lamp", "Lamp", "Lamp"])
        api.items.fail(with: refused)
        #expect(names == ["Books", "Books", "Books"] && printed.take() == ["Lamp, not confirmed yet"])
        #expect(rename.error?.userMessage == "The server refused the request.")
    }

    // MARK: watch

    @Test func `what a poll brings shows in the list and the search, and what the list brings in the parcel`() {
        load()
        let watch = start("watch", "1")
        lab.advance(by: .seconds(2))
        while api.items.pendingCount > 0 { api.items.succeed(with: parcel(.delivered)) }
        #expect(watch.value == true)
        let client = tool.client
        #expect(client.value(of: .parcels())?.items.first?.status == .delivered)
        #expect(client.value(of: .parcels(named: "o"))?.first?.status == .delivered)
        #expect(client.value(of: .tracked(1))?.depot == north)
        let list = lab.start { try await client.refetch(.parcels()) }
        api.lists.succeed(with: [Parcel(id: 1, name: "Novels", status: .delivered, depotID: 7)])
        api.lists.succeed(with: [])
        #expect(list.error == nil && names == ["Novels", "Novels", "Novels"])
        #expect(client.value(of: .tracked(1))?.depot == north)
    }

    @Test func `watch prints each new status, and ends with the delivery`() {
        let watch = start("watch", "1")
        api.depots.succeed(with: north)
        for status in [Parcel.Status.packed, .packed, .shipped, .delivered] {
            #expect(api.items.pendingCount == 1)
            api.items.succeed(with: parcel(status))
            if status != .delivered { lab.advance(by: .seconds(2)) }
        }
        #expect(watch.value == true && printed.take() == ["packed", "shipped", "delivered"])
        lab.advance(by: .seconds(3600))
        #expect(api.items.calls.count == 4 && api.depots.calls.count == 1)
    }

    @Test func `a poll that fails does not end watch, but a parcel that cannot be loaded does`() async throws {
        let (failing, missing) = (
            try await failure(after: .status(.serviceUnavailable)), try await failure(after: .status(.notFound))
        )
        let watch = start("watch", "1")
        api.items.succeed(with: parcel(.packed))
        api.depots.succeed(with: north)
        lab.advance(by: .seconds(2))
        api.items.fail(with: failing)
        lab.advance(by: .seconds(2))
        api.items.succeed(with: parcel(.delivered))
        #expect(watch.value == true && printed.take() == ["packed", "delivered"])
        let other = start("watch", "9")
        api.items.fail(with: missing)
        #expect(other.error?.userMessage == "This was not found." && printed.take() == [])
    }

    // MARK: Offline

    @Test func `offline, an earlier run's file answers, and what it lacks is an error in plain words`() async throws {
        let folder = TemporaryFolder()
        let file = folder.url.appendingPathComponent("parcels.sqlite")
        for page in [[books], [lamp], []] { api.lists.succeed(with: page) }
        api.items.succeed(with: books)
        api.depots.succeed(with: north)
        for words in [["list"], ["show", "1"]] { #expect(try await run(words, file, .fresh)) }
        let online = printed.take()
        #expect(online.count == 3)

        let sent = requests.count + api.items.calls.count + api.depots.calls.count
        for words in [["list"], ["show", "1"]] { #expect(try await run(words, file, .cacheOnly)) }
        #expect(printed.take() == online)
        for words in [["show", "2"], ["search", "lamp"]] {
            let error = await #expect(throws: QueryError.self) { try await run(words, file, .cacheOnly) }
            #expect(error?.userMessage == "This is not available offline.")
        }
        for words in [["rename", "1", "Novels"], ["watch", "1"]] {
            #expect(try await run(words, file, .cacheOnly) == false)
        }
        #expect(requests.count + api.items.calls.count + api.depots.calls.count == sent)

        // A later run has the new name in the list, too.
        api.items.succeed(with: Parcel(id: 1, name: "Novels", status: .packed, depotID: 7))
        #expect(try await run(["rename", "1", "Novels"], file, .fresh))
        _ = printed.take()
        for words in [["list"], ["show", "1"]] { #expect(try await run(words, file, .cacheOnly)) }
        #expect(printed.take() == ["1 Novels, packed", "2 Lamp, shipped", "1 Novels, packed, at North"])
    }

    /// Runs a command with a client and a cache of its own, as a process does.
    private func run(_ words: [String], _ file: URL, _ policy: FetchPolicy) async throws -> Bool {
        let client = QueryClient(
            cache: try SQLiteQueryCache(at: file), dependencies: Dependencies(api as any ParcelAPI),
            environment: lab.environment)
        let tool = ParcelTool(client: client, policy: policy, output: printed.append)
        return try await lab.run { try await tool.run(words) { nil } }
    }

    // MARK: Commands

    @Test(
        arguments: [
            [], ["lists"], ["list", "1"], ["show"], ["show", "one"], ["search"], ["rename", "1"],
            ["rename", "one", "Novels"], ["watch"],
        ])
    func `what is not a command does nothing`(words: [String]) {
        let command = lab.start { [tool] in try await tool.run(words) { nil } }
        #expect(command.value == false && printed.all.isEmpty)
        #expect(api.lists.calls.isEmpty && api.items.calls.isEmpty)
    }
}
