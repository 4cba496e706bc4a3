import Foundation
import PigeonStore
import Testing

// Rows of the guide that have no place in the rest of the list, and a test that the list has them all. What stands in the
// list for a row of the guide has a comment above it: `// guide:` and the beginning of the row.

// guide: stored property of `Sendable`-conforming struct has non-Sendable type
private final class UserApi: Sendable {
    func fetch(_ id: UserId) -> User { User(id.number, "api") }
}

// guide: a key or the data is not `Sendable`
/// A public struct says that it is `Sendable`; one of the module need not.
public struct UserId: Hashable, Sendable {
    /// What the origin knows it by.
    public let number: Int
}

private struct ApiFetcher: Fetcher {
    private let api = UserApi()

    func fetch(param: UserId) async throws -> User { api.fetch(param) }
}

@Suite("Coming from StoreFlowable: the guide")
struct GuideTests {
    // guide: 2: `create()`; 3: `create(_ param)`; 4: `AnyStoreFlowable.from(cacher:fetcher:param:)`
    @Test("Stores are made as before, in the program's client or in another")
    func client() async throws {
        let client = QueryClient()
        let two = Version2.UserFactory(userId: 40)
        #expect(two.create().queryKey == two.create(client: .shared).queryKey)
        #expect(try await value(of: two.create(client: client).requireData()) == User(40))
        #expect(try await value(of: Version3.UserFactory().create(40, client: client).requireData()) == User(40))
        let four = AnyStoreFlowable.from(
            cacher: Cacher<UserId, User>(), fetcher: ApiFetcher(), param: UserId(number: 40), client: client)
        #expect(try await four.requireData() == User(40, "api"))
    }

    // guide: 2 to 4: the types of versions 2 and 4 exclude each other
    @Test("A factory's store has async functions, a cacher's store has publishers")
    func together() async throws {
        let user = Version2.UserFactory(userId: 41).create()
        #expect(try await user.requireData() == User(41))
        let states: LoadingStateSequence<User> = user.publish()
        #expect(await settled(states)?.content == User(41))
        let only = AnyStoreFlowable.from(cacher: Cacher<UnitHash, String>(), fetcher: Version4.OnlyFetcher())
        let publisher: LoadingStatePublisher<String> = only.publish()
        #expect(await settled(publisher)?.content == "only")
    }

    // guide: 2: `FlowableDataStateManager.clearAll()`, internal
    @Test("A manager empties all its stores that are in use")
    func clearAll() async throws {
        let manager = Version2.NamedManager(name: "cleared")
        let factory = Version2.ListFactory(key: "a", flowableDataStateManager: manager)
        let list = factory.create()
        #expect(try await list.requireData() == [1])
        manager.clearAll()
        #expect(await list.getData(from: .cache) == nil)
    }

    // guide: 4: `update`, `clear`, `requestNextData`, `requestPrevData` return nothing
    // guide: `update(newData:nextKey:)` with `nil` keeps the key
    @Test("What returned nothing returns a result, which may be ignored, and a key of nil stays")
    func results() async throws {
        let manager = Version2.NamedManager(name: "results")
        let feed = Version2.FeedFactory(key: "a", flowableDataStateManager: manager).create()
        #expect(try await feed.requireData() == [5])
        await feed.requestNextData()
        await feed.requestPrevData(continueWhenError: false)
        await feed.update(newData: [1], nextKey: nil)
        #expect(await settled(feed.publish())?.text == "[1] more end")
        await feed.update(newData: [1], nextKey: .end)
        #expect(await settled(feed.publish())?.text == "[1] end end")
        await feed.update(newData: [1], nextKey: .set("broken"))
        await #expect(throws: OfflineError.self) { try await feed.requestNextData().get() }
        await feed.clear()
        let four = Version4.AnyStoreFlowable.from(cacher: Version4.ListCacher(), fetcher: Version4.ListFetcher())
        let nothing: Void = await four.update(newData: [1])
        #expect(nothing == ())
    }

    // guide: 4: functions of a cacher do not throw
    @Test("A call of a cacher that is no CacherV4 needs try")
    func cachers() async throws {
        let cacher = Cacher<Int, String>()
        try await cacher.saveData(data: "a", param: 1)
        #expect(try await cacher.loadData(param: 1) == "a")
        let quiet = CacherV4<Int, String>()
        await quiet.saveData(data: "b", param: 1)
        #expect(await quiet.loadData(param: 1) == "b")
    }

    // guide: `DataState`, `AdditionalDataState`
    @Test("Each row of the guide stands in this list, and each mark of this list stands in the guide")
    func rows() throws {
        let root = try #require(#filePath.range(of: "/Tests/DropIn/")).lowerBound
        let package = URL(fileURLWithPath: String(#filePath[..<root]))
        let guide = try String(
            contentsOf: package.appendingPathComponent("Documentation/MigratingFromStoreFlowable.md"), encoding: .utf8)
        let list = package.appendingPathComponent("Tests/DropIn/StoreFlowable")
        let marks = try FileManager.default.contentsOfDirectory(at: list, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
            .flatMap { Self.marks(in: try String(contentsOf: $0, encoding: .utf8)) }
        #expect(marks.count > 15)
        let text = guide.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for mark in marks { #expect(text.contains(mark), "no row of the guide: \(mark)") }
        for row in Self.rows(of: guide) {
            #expect(marks.contains { row.hasPrefix($0) }, "no code in this list for a row of the guide: \(row)")
        }
    }

    /// What follows `// guide:` in a source.
    private static func marks(in source: String) -> [String] {
        source.split(separator: "\n").compactMap { line in
            let line = line.drop { $0 == " " }
            return line.hasPrefix("// guide: ") ? String(line.dropFirst(10)) : nil
        }
    }

    /// The old code of each row, in all tables but that of numbered flaws, which have tests of their own.
    private static func rows(of guide: String) -> [String] {
        var column = 1
        return guide.split(separator: "\n").compactMap { line in
            let cells = line.components(separatedBy: " | ").map { $0.trimmingCharacters(in: ["|", " "]) }
            guard line.hasPrefix("| "), let first = cells.first else { return nil }
            switch first {
            case "version": column = 1
            case "it says", "StoreFlowable": column = 0
            case "number": column = -1
            default: return column < 0 ? nil : cells[column]
            }
            return nil
        }
    }
}
