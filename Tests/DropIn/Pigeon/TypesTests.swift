import Foundation
import Pigeon
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// States, keys and pages: the values of the library.
@Suite("Pigeon 0.1: types")
struct TypesTests {
    // uses: QueryState, QueryState.idle, QueryState.loading, QueryState.succeed, QueryState.failed, QueryState.value
    @Test func `a state is one of four, and has a value in one of them`() {
        let states: [QueryState<User>] = [.idle, .loading, .succeed(ann), .failed(Broken())]
        #expect(states.map(\.label) == ["idle", "loading", "succeed", "failed"])
        #expect(states.map { $0.value?.name } == [nil, nil, "Ann", nil])
        if case let .failed(error) = states[3] { #expect(error is Broken) }
    }

    // guide: `print(state)` of a failure
    @Test func `a state prints its case and its value, and of an error the type`() {
        let states: [QueryState<Int>] = [.idle, .loading, .succeed(1), .failed(URLError(.timedOut))]
        #expect(states.map { "\($0)" } == ["idle", "loading", "succeed(1)", "failed(URLError)"])
        #expect((states[3].error as? URLError)?.code == .timedOut)
    }

    @Test func `a state may hold a value that is not Sendable`() {
        final class Model { var name = "Ann" }
        let state = QueryState<Model>.succeed(Model())
        #expect(state.value?.name == "Ann")
    }

    // uses: QueryKeyType, QueryKeyType.queryKeyValue
    struct Section: QueryKeyType {
        let name: String
        var queryKeyValue: String { name }
    }

    // uses: QueryKey, QueryKey.init(value:), QueryKey.queryKeyValue, QueryKey.==, QueryKey.hash(into:)
    // guide: `QueryKey(value: "users")`
    @Test func `a key is made of text`() {
        let key = QueryKey(value: "users")
        #expect(key.queryKeyValue == "users")
        #expect(key == .users && key != QueryKey(value: "cards"))
        #expect(Set([key, .users, QueryKey(value: "cards")]).count == 2)
        let named: QueryKeyType = key
        #expect(named.queryKeyValue == "users")
    }

    // guide: `extension QueryKey: ExpressibleByStringLiteral` of your own, or `Codable`, or `CustomStringConvertible`
    @Test func `a key is a literal, is coded and prints itself`() throws {
        let key: QueryKey = "users"
        #expect(key == QueryKey(value: "users") && "\(key)" == "users")
        let coded = try JSONDecoder().decode([QueryKey].self, from: JSONEncoder().encode([key]))
        #expect(coded == [key])
    }

    // uses: QueryKey.appending(_: String), QueryKey.appending(_: QueryKeyType)
    // guide: `key.appending(id.description)`
    @Test func `a key is appended to`() {
        let id = 42
        let key = QueryKey.users.appending(id.description)
        #expect(key == QueryKey.users.appending("42"))
        #expect(key.queryKeyValue == "users/42")
        #expect(QueryKey.users.appending(Section(name: "new")) == QueryKey.users.appending("new"))
        #expect(QueryKey.users.appending(QueryKey(value: "new")) == QueryKey.users.appending("new"))
        #expect(QueryKey.users.appending(NumericPaginatedQueryKey(current: 3)) == QueryKey.users.appending("3"))
        let suffix: QueryKeyType = Section(name: "new")
        #expect(QueryKey.users.appending(suffix) == QueryKey.users.appending("new"))
    }

    // guide: `QueryKey(value: "users_42")`, the adapted key by its text
    @Test func `an adapted key is named by its path`() {
        let adapted = QueryKey.users.appending("42")
        let literal: QueryKey = "users/42"
        #expect(adapted == literal && adapted == QueryKey("users", 42))
        #expect(adapted != QueryKey(value: "users_42") && adapted != QueryKey(value: "users/42"))
    }

    // guide: `key.queryKeyValue` as the name of a file or of a setting
    @Test func `the text of a key has a slash for each step, and none inside a component`() {
        #expect(QueryKey.users.appending("42").queryKeyValue == "users/42")
        #expect(QueryKey(value: "a/b").queryKeyValue == "a%2Fb")
        #expect(QueryKey(value: "users?page=1&size=20").queryKeyValue == "users?page=1&size=20")
        #expect(QueryKey(value: "50%").queryKeyValue == "50%25")
        let file = QueryKey.users.appending("42").components.joined(separator: "_")
        #expect(file == "users_42")
    }

    // uses: NumericPaginatedQueryKey, NumericPaginatedQueryKey.init(current:), NumericPaginatedQueryKey.current
    // uses: NumericPaginatedQueryKey.queryKeyValue, NumericPaginatedQueryKey.first, NumericPaginatedQueryKey.next
    // uses: PaginatedQueryKey.asQueryKey
    @Test func `pages are counted`() {
        let page = NumericPaginatedQueryKey(current: 3)
        #expect(page.current == 3 && page.queryKeyValue == "3")
        #expect(page.first.current == 0 && page.next.current == 4)
        #expect(page.asQueryKey == QueryKey(value: "3"))
    }

    // uses: LimitOffsetPaginatedQueryKey, LimitOffsetPaginatedQueryKey.init(limit:offset:)
    // uses: LimitOffsetPaginatedQueryKey.limit, LimitOffsetPaginatedQueryKey.offset
    // uses: LimitOffsetPaginatedQueryKey.queryKeyValue, LimitOffsetPaginatedQueryKey.first
    // uses: LimitOffsetPaginatedQueryKey.next
    @Test func `pages are counted by their items`() {
        let page = LimitOffsetPaginatedQueryKey(limit: 20, offset: 40)
        #expect(page.limit == 20 && page.offset == 40 && page.queryKeyValue == "20_40")
        #expect(page.first.offset == 0 && page.first.limit == 20)
        #expect(page.next.offset == 60 && page.next.limit == 20)
    }

    // uses: PaginatedQueryKey, PaginatedQueryKey.first, PaginatedQueryKey.next
    // guide: type `Cursor` does not conform to protocol `Equatable`, `Decodable` or `Encodable`
    @Test func `a page key of one's own says what is first and next`() {
        let page = Letter(letter: "b")
        #expect(page.first.letter == "a" && page.next.letter == "c")
        #expect(page.asQueryKey == QueryKey(value: "b"))
        #expect(Cursor(token: "x").next.token == "x+")
    }
}

extension QueryKey {
    static let users: QueryKey = QueryKey(value: "users")
}

/// A struct of values, as it stood in an old program.
struct Letter: PaginatedQueryKey {
    let letter: String
    var queryKeyValue: String { letter }
    var first: Letter { Letter(letter: "a") }
    var next: Letter { Letter(letter: ["a": "b", "b": "c"][letter] ?? "z") }
}

/// A class, which implements what a struct has by itself.
final class Cursor: PaginatedQueryKey {
    let token: String
    init(token: String) { self.token = token }
    var queryKeyValue: String { token }
    var first: Cursor { Cursor(token: "") }
    var next: Cursor { Cursor(token: token + "+") }

    static func == (one: Cursor, other: Cursor) -> Bool { one.token == other.token }
}
