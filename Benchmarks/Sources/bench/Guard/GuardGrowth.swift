internal import Foundation
internal import Pigeon
internal import PigeonHTTP
internal import PigeonREST
internal import PigeonStore

/// Operations whose time must not grow with the number of elements.
struct Growth: Sendable {
    /// A description of each measurement, by its name.
    let subjects: KeyValuePairs<String, String>
    /// A name for the elements whose number grows.
    let elements: String
    let few: Int
    /// Number that the guard measures.
    let many: Int
    /// Number that the bench measures, which takes longer.
    let most: Int
    /// Returns the nanoseconds of one operation for each of the subjects.
    let measure: @Sendable (_ count: Int) async throws -> [Double]

    /// 0 if the time does not depend on the number of elements, and 1 if it is proportional to it.
    func exponent(_ few: Double, _ many: Double, _ count: Int) -> Double {
        log(many / few) / log(Double(count) / Double(self.few))
    }

    static let all = [
        Growth(
            subjects: [
                "growth.create": "create and fetch a key",
                "growth.read": "read by a key, in random order",
                "growth.path": "invalidate a key by its path",
                "growth.remove": "remove a key by its path",
            ], elements: "keys", few: 1000, many: 100_000, most: 1_000_000, measure: measureKeys),
        Growth(
            subjects: [
                "growth.attach": "attach an observer to one key",
                "growth.detach": "detach an observer, the oldest first",
            ], elements: "observers", few: 100, many: 10_000, most: 100_000, measure: measureObservers),
        Growth(
            subjects: ["growth.budget": "set a value when the observed entries exceed the budget (F14)"],
            elements: "entries", few: 100, many: 10_000, most: 100_000, measure: measureBudget),
        Growth(
            subjects: [
                "growth.resource.attach": "add an observer to one resource",
                "growth.resource.detach": "remove an observer, the oldest first",
            ], elements: "observers", few: 100, many: 10_000, most: 100_000,
            measure: { await measureResourceObservers($0) }),
        Growth(
            subjects: [
                "growth.store.subscribe": "subscribe to one value of a store",
                "growth.store.cancel": "cancel a subscription, the oldest first",
            ], elements: "subscribers", few: 100, many: 10_000, most: 10_000, measure: measureSubscribers),
        Growth(
            subjects: [
                "growth.pages.append": "load the next page of a list that has all its pages",
                "growth.pages.edit": "edit a page",
            ], elements: "pages", few: 200, many: 2000, most: 2000, measure: measurePages),
        Growth(
            subjects: [
                "growth.pending.set": "set a persisted value",
                "growth.pending.where": "invalidate a key by a condition",
            ], elements: "pending writes", few: 500, many: 4000, most: 8000, measure: measurePendingWrites),
    ]
}

func measureGrowth(_ meter: Meter) async throws {
    for growth in Growth.all { try await meter.measure(growth) }
}

/// Repeats a measurement of few elements, which takes a short time, and returns the average time of one.
private func average(
    _ count: Int, atLeast elements: Int, _ measure: () async throws -> [Double]
) async rethrows -> [Double] {
    let repetitions = max(1, elements / count)
    var sums: [Double] = []
    for _ in 0..<repetitions {
        let times = try await measure()
        sums = sums.isEmpty ? times : zip(sums, times).map { $0 + $1 }
    }
    return sums.map { $0 / Double(repetitions * count) }
}

private func measureKeys(_ count: Int) async throws -> [Double] {
    let order = scattered(count)
    return try await average(count, atLeast: 20_000) {
        let client = QueryClient()
        return [
            try await processorTime { for id in order { use(try await client.fetch(.user(id)).id) } },
            processorTime {
                for id in 0..<count { use(client.value(of: QueryKey("users", id), as: User.self)?.id ?? 0) }
            },
            processorTime { client.invalidate(.path("users")) },
            processorTime { client.remove(.path("users")) },
        ]
    }
}

private func measureObservers(_ count: Int) async -> [Double] {
    await average(count, atLeast: 5000) {
        let client = QueryClient()
        var held: [QueryObserver<User>] = []
        return [
            processorTime { for _ in 0..<count { held.append(client.observe(.value("users")) { _ in }) } },
            processorTime { for observer in held { observer.cancel() } },
        ]
    }
}

private func measureBudget(_ count: Int) async throws -> [Double] {
    try await average(count, atLeast: 5000) {
        let client = QueryClient(budget: 1)
        let definitions = (0..<count).map { QueryDefinition<User>.value(QueryKey("users", $0)) }
        let observers = definitions.map { client.observe($0) }
        let time = try processorTime {
            for (id, definition) in definitions.enumerated() { try client.set(User(id), for: definition) }
        }
        for observer in observers { observer.cancel() }
        return [time]
    }
}

@MainActor
private func measureResourceObservers(_ count: Int) async -> [Double] {
    let service = Service(
        baseURL: "https://api.example.com/v1", networking: HTTPTransportProvider(MockTransport()), client: QueryClient()
    )
    return await average(count, atLeast: 2000) {
        let resource = service.resource("/users/1")
        let owners = (0..<count).map { _ in Owner() }
        return [
            processorTime { for owner in owners { resource.addObserver(owner: owner) { _, _ in } } },
            processorTime { for owner in owners { resource.removeObservers(ownedBy: owner) } },
        ]
    }
}

private func measureSubscribers(_ count: Int) async throws -> [Double] {
    let users = Cacher<Int, User>(expireSeconds: 60)
    try await users.saveData(data: User(1), param: 1)
    return await average(count, atLeast: 2000) {
        let store = AnyStoreFlowable.from(cacher: users, fetcher: UserFetcher(), param: 1, client: QueryClient())
        var held: [AnyCancellable] = []
        return [
            processorTime { for _ in 0..<count { held.append(store.publish().sink { _ in }) } },
            processorTime { for subscription in held { subscription.cancel() } },
        ]
    }
}

private func measurePages(_ count: Int) async throws -> [Double] {
    let operations = 200
    let client = QueryClient()
    let list = endless("pages", maxPages: count)
    for _ in 0..<count { try await client.fetchNextPage(of: list) }
    let times = [
        try await processorTime { for _ in 0..<operations { try await client.fetchNextPage(of: list) } },
        processorTime {
            for index in 0..<operations {
                client.update(list) { $0.updatePage(at: index * 7 % count) { $0[0] += 1 } }
            }
        },
    ]
    return times.map { $0 / Double(operations) }
}

/// Keeps nothing, so that only the client's own work is measured.
private final class NoStore: QueryRecordStore {
    func record(for key: QueryKey) throws -> QueryRecord? { nil }

    func records(under path: QueryKey?) throws -> [(key: QueryKey, record: QueryRecord)] { [] }

    func apply(_ changes: [QueryRecordChange]) throws {}
}

/// The client writes 100 ms after the first change, so nothing is written before the invalidation has ended.
private func measurePendingWrites(_ count: Int) async throws -> [Double] {
    try await average(count, atLeast: 4000) {
        let client = QueryClient(cache: NoStore())
        let times = [
            try processorTime { for id in 0..<count { try client.set(User(id), for: .user(id).persisted()) } },
            processorTime { client.invalidate(.where { $0.hasValue }) },
        ]
        await client.flush()
        return times
    }
}

/// The nanoseconds for which the program's threads run during `work`. Other programs on the machine do not count.
private func processorTime(_ work: () throws -> Void) rethrows -> Double {
    let start = timeSinceStart()
    try work()
    return timeSinceStart() - start
}

/// The nanoseconds for which the program's threads run during `work`.
private func processorTime(_ work: () async throws -> Void) async rethrows -> Double {
    let start = timeSinceStart()
    try await work()
    return timeSinceStart() - start
}

private func timeSinceStart() -> Double { Double(clock()) * 1000 }  // `clock` counts microseconds, by POSIX
