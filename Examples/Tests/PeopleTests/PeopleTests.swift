import Pigeon
import PigeonHTTP
import PigeonTesting
import Testing

@testable import People

private let ann = Person(id: 1, name: "Ann", teamID: 7)
private let bea = Person(id: 2, name: "Bea", teamID: 7)
private let cid = Person(id: 3, name: "Cid", teamID: 8)
private let north = Team(id: 7, name: "North")

@MainActor
@Suite("The app of four screens", .timeLimit(.minutes(1)))
struct PeopleTests {
    typealias List = PaginatedQuery<Void, Int, [Person]>

    let lab: QueryLab
    let server: ScriptedServer
    let session: AppSession

    init() {
        lab = QueryLab()
        server = ScriptedServer(lab)
        session = AppSession(server, environment: lab.environment)
    }

    /// The first screen, with these pages.
    private func list(_ pages: [Person]...) -> List {
        let list = List(.people(), client: session.client)
        for page in pages {
            if page != pages.first { list.fetchNextPage() }
            server.lists.succeed(with: page)
        }
        return list
    }

    /// The second screen, with Ann and her team.
    private func detail() -> PersonModel {
        let model = PersonModel(1, client: session.client)
        server.persons.succeed(with: ann)
        server.teams.succeed(with: north)
        return model
    }

    // MARK: The list

    @Test func `the list grows to its end, page by page`() {
        let list = list([ann], [bea], [])
        #expect(list.items == [ann, bea] && !list.hasNextPage)
        #expect(server.lists.calls.map(\.arguments) == [["", "1"], ["", "2"], ["", "3"]])
    }

    @Test func `pulling down loads the pages again, and keeps them until they are there`() async {
        let list = list([ann], [bea])
        let refresh = lab.start { await list.refresh() }
        await lab.settled()
        #expect(server.lists.pending.map(\.arguments) == [["", "1"]])
        server.lists.succeed(with: [cid])
        #expect(list.items == [ann, bea])
        server.lists.succeed(with: [bea])
        await lab.settled()
        #expect(list.items == [cid, bea] && refresh.result != nil)
    }

    // MARK: A person

    @Test func `the team is fetched once the person is there, and only then`() {
        let model = PersonModel(1, client: session.client)
        lab.advance(by: .seconds(60))
        #expect(server.teams.calls.isEmpty)
        server.persons.succeed(with: ann)
        #expect(server.teams.pending.map(\.arguments) == [["7"]])
        server.teams.succeed(with: north)
        #expect(model.team.value == north)
        session.client.invalidate(.person(1))
        server.persons.succeed(with: Person(id: 1, name: "Zoe", teamID: 7))
        #expect(model.person.value?.name == "Zoe" && server.teams.calls.count == 1)
        session.client.invalidate(.person(1))
        server.persons.succeed(with: Person(id: 1, name: "Zoe", teamID: 8))
        #expect(server.teams.pending.map(\.arguments) == [["8"]])
    }

    @Test func `a new name shows at once in the list and the detail, and both are then fetched`() async {
        let (list, model) = (list([ann, bea]), detail())
        let rename = lab.start { [client = session.client] in
            try await client.mutate(RenamePerson(id: 1, name: "Zoe"))
        }
        await lab.settled()
        #expect(server.persons.pending.map(\.arguments) == [["rename", "1", "Zoe"]])
        #expect(list.items.map(\.name) == ["Zoe", "Bea"] && model.person.value?.name == "Zoe")
        server.persons.succeed(with: Person(id: 1, name: "Zoe", teamID: 7))
        await lab.settled()
        #expect(rename.value?.name == "Zoe" && list.items.first?.name == "Zoe")
        #expect(server.persons.pending.map(\.arguments) == [["1"]])
        #expect(server.lists.pending.map(\.arguments) == [["", "1"]])
    }

    @Test func `a name that is refused goes back, with the server's message`() async {
        let (list, model) = (list([ann, bea]), detail())
        let rename = lab.start { [client = session.client] in
            try await client.mutate(RenamePerson(id: 1, name: "Bea"))
        }
        await lab.settled()
        #expect(list.items.first?.name == "Bea")
        server.persons.fail(with: HTTPError.status(422, message: "The name is taken."))
        await lab.settled()
        #expect(rename.error is HTTPError && session.message == "The name is taken.")
        #expect(list.items == [ann, bea] && model.person.value == ann && session.isSignedIn)
    }

    @Test func `a new name also shows in the search, and in a list that is loaded while it is sent`() async {
        let (model, client) = (detail(), session.client)
        let search = SearchModel(client: client)
        search.text = "ann"
        lab.advance(by: .milliseconds(300))
        server.lists.succeed(with: [ann])
        let rename = lab.start { try await client.mutate(RenamePerson(id: 1, name: "Zoe")) }
        await lab.settled()
        let list = list([bea, ann])
        #expect(search.results.value?.map(\.name) == ["Zoe"] && list.items.map(\.name) == ["Bea", "Zoe"])
        server.persons.fail(with: HTTPError.status(422, message: "The name is taken."))
        await lab.settled()
        #expect(rename.error is HTTPError && search.results.value == [ann] && list.items == [bea, ann])
        #expect(model.person.value == ann)
    }

    @Test func `what the detail fetches shows in the list, which is not fetched again`() {
        let list = list([ann, bea])
        let model = PersonModel(1, client: session.client)
        server.persons.succeed(with: Person(id: 1, name: "Zoe", teamID: 7))
        #expect(list.items.map(\.name) == ["Zoe", "Bea"] && model.person.value?.name == "Zoe")
        #expect(server.lists.calls.count == 1)
    }

    // MARK: Search

    @Test func `typing fetches the last text only, and keeps the last results until the next are there`() {
        let model = SearchModel(client: session.client)
        for text in ["a", "an", "ann"] {
            model.text = text
            lab.advance(by: .milliseconds(200))
        }
        #expect(server.lists.calls.isEmpty)
        lab.advance(by: .milliseconds(100))
        #expect(server.lists.calls.map(\.arguments) == [["ann", "1"]])
        server.lists.succeed(with: [ann])
        model.text = "bea"
        #expect(model.results.value == [ann] && model.results.snapshot.isPlaceholder)
        lab.advance(by: .milliseconds(300))
        server.lists.succeed(with: [bea])
        #expect(model.results.value == [bea])
        model.text = ""
        lab.advance(by: .seconds(1))
        #expect(model.results.value == nil && server.lists.calls.count == 2)
    }

    // MARK: The session

    @Test func `a 401 signs out, and nothing is left`() async {
        let (list, model) = (list([ann]), detail())
        let refresh = lab.start { await list.refresh() }
        await lab.settled()
        server.lists.fail(with: HTTPError.status(401))
        await lab.settled()
        #expect(refresh.result != nil && !session.isSignedIn && session.message == nil)
        #expect(list.items.isEmpty && model.person.value == nil && model.team.value == nil)
        #expect(session.client.entries().allSatisfy { !$0.hasValue })
    }

    @Test func `signing out clears what is shown, and an answer that comes later`() async throws {
        let (list, session) = (list([ann]), session)
        list.fetchNextPage()
        try await lab.run { await session.signOut() }
        server.lists.succeed(with: [bea])
        await lab.settled()
        #expect(!session.isSignedIn && list.items.isEmpty)
    }

    // MARK: The live server

    @Test func `a refusal has the server's message`() async throws {
        let mock = MockTransport()
        mock.answer(.patch, "/people/:id", with: try .json(["message": "Taken."], status: .unprocessableEntity))
        let server = try dispatcher(over: mock)
        let error = await #expect(throws: HTTPError.self) { try await server.rename(1, to: "Bea") }
        #expect(error?.userMessage == "Taken.")
    }

    @Test func `each function of the server is one request`() async throws {
        let mock = MockTransport()
        mock.answer(.get, "/people", with: try .json([ann]))
        mock.answer(.get, "/people/:id", with: try .json(ann))
        mock.answer(.get, "/teams/:id", with: try .json(north))
        mock.answer(.patch, "/people/:id", with: try .json(bea))
        let server: any Server = try dispatcher(over: mock)
        #expect(try await server.people(named: "a&b", page: 2) == [ann])
        #expect(mock.requests.first?.query("name") == "a&b" && mock.requests.first?.query("page") == "2")
        #expect(try await server.person(1) == ann)
        #expect(try await server.team(7) == north)
        #expect(try await server.rename(1, to: "Bea") == bea)
        #expect(mock.requests.map(\.path) == ["/people", "/people/1", "/teams/7", "/people/1"])
    }
}
