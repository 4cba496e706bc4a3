import Foundation
import Pigeon
import Testing

@MainActor
@Suite("Pigeon 0.1: invalidation", OwnSharedState(), .timeLimit(.minutes(1)))
struct InvalidationTests {
    let asked = Notes<Int>()

    private func user(
        key: QueryKey = QueryKey(value: "user"),
        keyAdapter: @escaping (QueryKey, Int) -> QueryKey = { key, _ in key }
    ) -> Query<Int, User> {
        let asked = asked
        return Query<Int, User>(
            key: key, keyAdapter: keyAdapter,
            fetcher: { id in
                asked.add(id)
                return answer(User(id: id, name: "Ann"))
            })
    }

    // uses: QueryInvalidator, QueryInvalidator.init(), QueryInvalidator.Parameters
    // uses: QueryInvalidator.Parameters.lastData, QueryInvalidator.Parameters.newData
    // uses: QueryInvalidator.invalidateQuery(for:with: Parameters)
    @Test func `a key is invalidated, with the last request or a new one`() {
        let user = self.user()
        let invalidator = QueryInvalidator()
        invalidator.invalidateQuery(for: QueryKey(value: "user"), with: .lastData)
        #expect(asked.all == [])
        user.refetch(request: 1)
        let all: [QueryInvalidator.Parameters] = [.lastData, .newData(2), .lastData]
        for parameters in all { invalidator.invalidateQuery(for: QueryKey(value: "user"), with: parameters) }
        #expect(asked.all == [1, 1, 2, 2])
        if case let .newData(request) = all[1] { #expect(request as? Int == 2) }
    }

    // uses: QueryInvalidator.TypedParameters, QueryInvalidator.TypedParameters.lastData
    // uses: QueryInvalidator.TypedParameters.newData, QueryInvalidator.invalidateQuery(for:with: TypedParameters)
    @Test func `the new request may have its type`() {
        let user = self.user()
        let all: [QueryInvalidator.TypedParameters<Int>] = [.newData(1), .lastData]
        for parameters in all { QueryInvalidator().invalidateQuery(for: QueryKey(value: "user"), with: parameters) }
        QueryInvalidator().invalidateQuery(for: QueryKey(value: "user"), with: .newData(3))
        #expect(asked.all == [1, 1, 3])
        #expect(user.state.value?.id == 3)
    }

    @Test func `an adapted query hears of its own key, one level down`() {
        let user = self.user(keyAdapter: { key, id in key.appending(id.description) })
        user.refetch(request: 7)
        QueryInvalidator().invalidateQuery(for: QueryKey(value: "user"), with: .lastData)
        QueryInvalidator().invalidateQuery(for: QueryKey(value: "user"), with: .newData(8))
        #expect(asked.all == [7, 7, 8])
        withExtendedLifetime(user) {}
    }

    @Test func `an adapted query hears of its own key, also when the adapter makes a key elsewhere`() {
        let user = self.user(keyAdapter: { key, id in QueryKey(value: "\(key.queryKeyValue)_\(id)") })
        user.refetch(request: 7)
        QueryInvalidator().invalidateQuery(for: QueryKey(value: "user"), with: .lastData)
        #expect(asked.all == [7, 7])
        QueryInvalidator().invalidateQuery(for: QueryKey(value: "user_7"), with: .lastData)
        #expect(asked.all == [7, 7, 7])
        QueryInvalidator().invalidateQuery(for: QueryKey(value: "user"), with: .newData(8))
        #expect(asked.all == [7, 7, 7, 8])
        withExtendedLifetime(user) {}
    }

    // uses: QueryInvalidationListener, QueryInvalidationListener.Request
    // uses: QueryInvalidationListener.listenQueryInvalidation(for:)
    // guide: `listenQueryInvalidation(for:)`
    final class Listener: QueryInvalidationListener {
        typealias Request = Int

        private(set) var heard: [String] = []
        private var cancellables = Set<AnyCancellable>()

        func listen() {
            listenQueryInvalidation(for: QueryKey(value: "user"))
                .sink { [weak self] (parameters: QueryInvalidator.TypedParameters<Int>) in
                    switch parameters {
                    case .lastData: self?.heard.append("last")
                    case let .newData(request): self?.heard.append("\(request)")
                    }
                }
                .store(in: &cancellables)
        }
    }

    @Test func `a listener of one's own hears of both`() {
        let listener = Listener()
        listener.listen()
        QueryInvalidator().invalidateQuery(for: QueryKey(value: "user"), with: .lastData)
        QueryInvalidator().invalidateQuery(for: QueryKey(value: "user"), with: .newData(3))
        QueryInvalidator().invalidateQuery(for: QueryKey(value: "user"), with: .newData("three"))
        QueryInvalidator().invalidateQuery(for: QueryKey(value: "users"), with: .lastData)
        #expect(listener.heard == ["last", "3"])
    }

    // uses: Query.listenQueryInvalidation(for:), PaginatedQuery.listenQueryInvalidation(for:)
    @Test func `queries are listeners too`() {
        let user = self.user()
        let list = Numbers(
            key: "numbers", firstPage: NumericPaginatedQueryKey(current: 0), fetcher: { _, _ in answer([1]) })
        var heard: [String] = []
        var cancellables = Set<AnyCancellable>()
        user.listenQueryInvalidation(for: QueryKey(value: "other"))
            .sink { if case let .newData(id) = $0 { heard.append("user \(id)") } }
            .store(in: &cancellables)
        list.listenQueryInvalidation(for: QueryKey(value: "other"))
            .sink { if case .lastData = $0 { heard.append("list") } }
            .store(in: &cancellables)
        QueryInvalidator().invalidateQuery(for: QueryKey(value: "other"), with: .newData(5))
        QueryInvalidator().invalidateQuery(for: QueryKey(value: "other"), with: .lastData)
        #expect(heard == ["user 5", "list"])
        #expect(asked.all == [])
    }
}
