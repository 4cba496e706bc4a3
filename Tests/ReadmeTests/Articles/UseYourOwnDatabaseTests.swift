import Foundation
import GRDB
import Pigeon
import PigeonTesting
import TestSupport
import Testing

struct Film: Codable, Equatable, Identifiable, Sendable {
    var id: Int
    var title: String
}

protocol FilmAPI: Sendable {
    func film(_ id: Film.ID) async throws -> Film
    func rename(_ id: Film.ID, to title: String) async throws -> Film
}

/// The program's database, in memory.
private let archive: DatabaseQueue = {
    do { return try openLibrary() } catch { fatalError("\(error)") }
}()

private func openLibrary() throws -> DatabaseQueue {
    let archive = try DatabaseQueue()
    var migrator = DatabaseMigrator()
    migrator.registerMigration("films") { database in
        try database.create(table: "film") { table in  // in a migration
            table.primaryKey("id", .integer)
            table.column("title", .text).notNull()
            table.column("savedAt", .datetime)  // NULL: stale in any case
        }
    }
    try migrator.migrate(archive)
    return archive
}

struct FilmRow: Codable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "film"
    var id: Int
    var title: String
    var savedAt: Date?
}

struct FilmTable: SourceOfTruth {
    let database: any DatabaseWriter
    let id: Film.ID

    func load() async throws -> Stored<Film>? {
        let row = try await database.read { try FilmRow.fetchOne($0, key: id) }
        return row.map { Stored(Film(id: $0.id, title: $0.title), savedAt: $0.savedAt) }
    }
    func save(_ stored: Stored<Film>) async throws {
        try await database.write { try FilmRow(id: id, title: stored.value.title, savedAt: stored.savedAt).save($0) }
    }
    func remove() async throws { try await database.write { _ = try FilmRow.deleteOne($0, key: id) } }
    func markStale() async throws {
        try await database.write { try $0.execute(literal: "UPDATE film SET savedAt = NULL WHERE id = \(id)") }
    }
    func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription? {
        let observation = ValueObservation.tracking(region: FilmRow.filter(key: id), fetch: { _ in })
        let cancellable = observation.start(
            in: database, scheduling: .task, onError: { _ in handler() }, onChange: { handler() })
        return QuerySubscription { cancellable.cancel() }  // retains the observation, which ends with the subscription
    }
}

extension QueryDefinition where Value == Film {
    static func film(_ id: Film.ID) -> Self {
        QueryDefinition("films", id) { context in try await context[(any FilmAPI).self].film(id) }
            .staleAfter(.minutes(5))
            .stored(in: FilmTable(database: archive, id: id))
    }
}

struct RenameFilm: Mutating {
    var id: Film.ID
    var title: String
    func run(_ context: MutationContext) async throws -> Film {
        try await context[(any FilmAPI).self].rename(id, to: title)
    }
    func optimistic(_ edits: inout OptimisticEdits) { edits.update(.film(id)) { $0.title = title } }
}

private struct ScriptedFilmAPI: FilmAPI {
    let films = ScriptedFetcher<Film>()
    let renames = ScriptedFetcher<Film>()

    func film(_ id: Film.ID) async throws -> Film { try await films.call(id) }
    func rename(_ id: Film.ID, to title: String) async throws -> Film { try await renames.call(id, title) }
}

/// All tests use one database.
@MainActor
@Suite("Article: keep a value in your own database", .serialized, .timeLimit(.minutes(1)))
struct UseYourOwnDatabaseTests {
    @MainActor
    private final class Screen {
        var title: String?
        var age: Duration?
        var isRefreshing = false
    }

    private let server = ScriptedFilmAPI()
    private let client: QueryClient
    private let screen = Screen()

    init() async throws {
        client = QueryClient(dependencies: Dependencies(server as any FilmAPI))
        try await archive.write { _ = try FilmRow.deleteAll($0) }
    }

    private func insert(_ id: Film.ID, _ title: String, age: TimeInterval = 0) async throws {
        let row = FilmRow(id: id, title: title, savedAt: Date(timeIntervalSinceNow: -age))
        try await archive.write { try row.insert($0) }
    }

    private func row(_ id: Film.ID) async throws -> FilmRow? {
        try await archive.read { try FilmRow.fetchOne($0, key: id) }
    }

    private func show(_ title: String, age: Duration?, isRefreshing: Bool) {
        (screen.title, screen.age, screen.isRefreshing) = (title, age, isRefreshing)
    }

    private func showFilm() async {
        let film = Query(.film(7), client: client)
        for await snapshot in film.snapshots {
            guard let shown = snapshot.value else { continue }
            show(shown.title, age: snapshot.age, isRefreshing: snapshot.isFetching)
        }
        withExtendedLifetime(film) {}
    }

    @Test func `a screen shows the row with its age, and then the film that was fetched and saved`() async throws {
        try await insert(7, "Ema", age: 3600)
        let showing = Task { await showFilm() }
        await until { screen.title == "Ema" && screen.isRefreshing }
        let age = try #require(screen.age)
        #expect(age >= .seconds(3599))
        server.films.succeed(with: Film(id: 7, title: "Vertigo"))
        await until { screen.title == "Vertigo" && !screen.isRefreshing }
        let newAge = try #require(screen.age)
        #expect(newAge < .seconds(600))
        #expect(try await row(7)?.title == "Vertigo")
        showing.cancel()
        await showing.value
    }

    @Test func `a change by another part of the program is shown, and nothing is fetched`() async throws {
        try await insert(7, "Vertigo")
        let showing = Task { await showFilm() }
        await until { screen.title == "Vertigo" }
        try await archive.write { try $0.execute(sql: "UPDATE film SET title = 'Psycho' WHERE id = 7") }
        await until { screen.title == "Psycho" }
        #expect(server.films.calls.isEmpty)
        showing.cancel()
        await showing.value
    }

    @Test(arguments: [true, false])
    func `an edit is shown at once, and saved if the server confirms it`(isConfirmed: Bool) async throws {
        try await insert(7, "Vertigo")
        let observer = client.observe(.film(7))
        await until { observer.value?.title == "Vertigo" }
        let saving = Task { [client] in try await client.mutate(RenameFilm(id: 7, title: "Psycho")) }
        await until { observer.snapshot.isOptimistic }
        #expect(observer.value?.title == "Psycho")
        #expect(try await row(7)?.title == "Vertigo")
        if isConfirmed {
            server.renames.succeed(with: Film(id: 7, title: "Psycho"))
            #expect(try await saving.value.title == "Psycho")
            try await until { try await row(7)?.title == "Psycho" }
        } else {
            server.renames.fail(with: URLError(.userAuthenticationRequired))
            await #expect(throws: URLError.self) { try await saving.value }
            await until { observer.value?.title == "Vertigo" }
            #expect(try await row(7)?.title == "Vertigo")
        }
        #expect(!observer.snapshot.isOptimistic)
    }

    @Test func `what the program writes is shown at once, and saved`() async throws {
        try client.set(Film(id: 8, title: "Vertigo"), for: .film(8))
        #expect(client.value(of: .film(8))?.title == "Vertigo")
        try await until { try await row(8)?.title == "Vertigo" }
        let film = Film(id: 7, title: "Vertigo")
        try client.set(film, for: .film(film.id))
        client.update(.film(7)) { $0.title = "Mansfield Park" }  // false if the row was not read yet; it is stale then
        #expect(client.value(of: .film(7))?.title == "Mansfield Park")
        try await until { try await row(7)?.title == "Mansfield Park" }
    }

    @Test func `an edit of a row that was not read yet makes it stale`() async throws {
        try await insert(8, "Vertigo")
        let isShown = client.update(.film(8)) { $0.title = "Psycho" }
        #expect(!isShown)
        try await until { try await row(8)?.savedAt == nil }
        #expect(try await row(8)?.title == "Vertigo")
    }

    @Test func `signing out leaves no row, in memory or not`() async throws {
        try await insert(7, "Vertigo")
        try await insert(8, "Psycho")
        let observer = client.observe(.film(7))
        await until { observer.value != nil }
        try await client.clear()
        try await archive.write { _ = try FilmRow.deleteAll($0) }
        #expect(observer.value == nil)
        #expect(try await archive.read { try FilmRow.fetchCount($0) } == 0)
        #expect(server.films.calls.isEmpty)
    }

    @Test func `rows that are not in memory are marked by the program`() async throws {
        try await insert(7, "Vertigo")
        try await insert(8, "Psycho")
        let observer = client.observe(.film(7))
        await until { observer.value != nil }
        server.films.succeed(with: Film(id: 7, title: "Vertigo, revised"))
        try await archive.write { try $0.execute(sql: "UPDATE film SET savedAt = NULL") }
        await client.invalidate(.path("films"))
        await until { observer.value?.title == "Vertigo, revised" }
        #expect(try await row(7)?.savedAt != nil)
        #expect(try await row(8)?.savedAt == nil)
        #expect(server.films.calls.count == 1)
    }
}
