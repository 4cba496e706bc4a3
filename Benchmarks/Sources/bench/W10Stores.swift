internal import Pigeon
internal import PigeonStore

/// W10: stores over a cache in memory.
func measureStores(_ recorder: Recorder) async throws {
    try await measureFirstStates(recorder)
    try await measureStoreNotifications(recorder)
    try await measureSubscribers(recorder)
    try await measureStorePages(recorder)
}

// MARK: What is cached

private func measureFirstStates(_ recorder: Recorder) async throws {
    let count = 1000
    let order = scattered(count)
    let published = try await recorder.median {
        let (stores, _) = try await cached(count)
        return publish(stores, order)
    }
    let again = try await recorder.median {
        let (stores, _) = try await cached(count)
        _ = publish(stores, order)
        return publish(stores, order)
    }
    let required = try await recorder.median {
        let (stores, _) = try await cached(count)
        let time = try await nanoseconds {
            for index in order { use(try await stores[index].requireData()) }
        }
        return time / Double(count) / 1000
    }
    let (read, _) = try await cached(count)
    let reread = try await recorder.median {
        try await nanoseconds {
            for index in order { use(try await read[index].requireData()) }
        } / Double(count) / 1000
    }
    let made = try await recorder.median {
        let (stores, cacher) = try await cached(count)
        let client = QueryClient()
        let time = nanoseconds {
            for index in order {
                use(AnyStoreFlowable.from(cacher: cacher, fetcher: UserFetcher(), param: index, client: client))
            }
        }
        withExtendedLifetime(stores) {}
        return time / Double(count) / 1000
    }
    let loaded = try await recorder.median {
        let (_, cacher) = try await cached(count)
        let time = try await nanoseconds {
            for index in order { use(try await cacher.loadData(param: index)) }
        }
        return time / Double(count) / 1000
    }
    recorder.record(
        "W10.first", "publish a cached value, to its first state", .microseconds, published, floor: loaded, target: 5)
    recorder.record(
        "W10.again", "the same of a value that was published before", .microseconds, again, floor: loaded, target: nil)
    recorder.record("W10.require", "requireData of a cached value", .microseconds, required, floor: loaded, target: nil)
    recorder.record(
        "W10.reread", "the same of a value that was read before", .microseconds, reread, floor: loaded, target: 0.8)
    recorder.record("W10.make", "make a store", .microseconds, made, floor: nil, target: nil)
}

/// The microseconds until a subscriber has its first state.
private func publish(_ stores: [AnyStoreFlowable<Int, User>], _ order: [Int]) -> Double {
    let counter = Counter()
    var subscriptions: [AnyCancellable] = []
    subscriptions.reserveCapacity(stores.count)
    let time = nanoseconds {
        for index in order { subscriptions.append(stores[index].publish().sink { _ in counter.add() }) }
    }
    precondition(counter.count == stores.count, "\(counter.count) states")
    return time / Double(stores.count) / 1000
}

private func cached(_ count: Int) async throws -> ([AnyStoreFlowable<Int, User>], Cacher<Int, User>) {
    let client = QueryClient()
    let cacher = Cacher<Int, User>()
    for id in 0..<count { try await cacher.saveData(data: User(id), param: id) }
    let stores = (0..<count).map {
        AnyStoreFlowable.from(cacher: cacher, fetcher: UserFetcher(), param: $0, client: client)
    }
    return (stores, cacher)
}

// MARK: Notifications

private func measureStoreNotifications(_ recorder: Recorder) async throws {
    let (subscribers, updates) = (1000, 1000)
    let notifications = Double(subscribers * updates)
    let store = await recorder.median {
        let store = AnyStoreFlowable.from(
            cacher: Cacher<Int, User>(), fetcher: UserFetcher(), param: 0, client: QueryClient())
        let data = (0...updates).map { User($0) }
        await store.update(newData: data[updates])
        let counter = Counter()
        let held = (0..<subscribers).map { _ in store.publish().sink { _ in counter.add() } }
        let time = await nanoseconds {
            for number in 0..<updates { await store.update(newData: data[number]) }
        }
        precondition(counter.count == subscribers * (updates + 1), "\(counter.count) notifications")
        withExtendedLifetime(held) {}
        return notifications / time * 1000
    }
    let query = try await recorder.median { try await notifyQuery(subscribers, updates) }
    recorder.record(
        "W10.notify", "states, 1,000 subscribers × 1,000 updates", .millionsPerSecond, store, floor: query, target: nil)
    recorder.record(
        "W10.notify.cost", "a store's notification beside a query's", .times, query / store, floor: 1, target: 1.2)
}

@MainActor
private func notifyQuery(_ subscribers: Int, _ updates: Int) throws -> Double {
    let client = QueryClient()
    let query = Query<Void, User>(key: "w10", client: client) { User(0) }
    let definition = QueryDefinition<User>.value("w10")
    let data = (0...updates).map { User($0) }
    try client.set(data[updates], for: definition)
    let counter = Counter()
    let held = (0..<subscribers).map { _ in query.statePublisher.sink { _ in counter.add() } }
    let start = counter.count
    let time = try nanoseconds {
        for number in 0..<updates { try client.set(data[number], for: definition) }
    }
    precondition(counter.count - start == subscribers * updates, "\(counter.count) notifications")
    withExtendedLifetime(held) {}
    return Double(subscribers * updates) / time * 1000
}

// MARK: Subscribers of one store

/// The cost of a subscriber does not depend on the number of subscribers.
private func measureSubscribers(_ recorder: Recorder) async throws {
    var times: [Int: Double] = [:]
    for count in [100, 1000, 10_000] {
        let (stores, _) = try await cached(1)
        var cancels: [Double] = []
        let subscribed = recorder.median {
            let counter = Counter()
            var held: [AnyCancellable] = []
            held.reserveCapacity(count)
            let time = nanoseconds {
                for _ in 0..<count { held.append(stores[0].publish().sink { _ in counter.add() }) }
            }
            precondition(counter.count == count, "\(counter.count) states")
            cancels.append(nanoseconds { for subscription in held { subscription.cancel() } } / Double(count) / 1000)
            return time / Double(count) / 1000
        }
        let cancelled = Array(cancels.dropFirst()).middle
        times[count] = subscribed + cancelled
        recorder.record(
            "W10.subscribe\(count)", "subscribe to one store, \(count) subscribers", .microseconds, subscribed,
            floor: nil, target: 2)
        recorder.record(
            "W10.cancel\(count)", "cancel one of \(count) subscribers", .microseconds, cancelled, floor: nil,
            target: 2)
    }
    guard let few = times[100], let many = times[10_000] else { return }
    recorder.record("W10.growth", "10,000 subscribers beside 100", .times, many / few, floor: 1, target: nil)
}

// MARK: Pages

private struct Pager: TwoWayPaginationFetcher {
    func fetch(param: UnitHash) async throws -> TwoWayPaginationFetcherResultInitial<Int> {
        TwoWayPaginationFetcherResultInitial(data: items(0), nextRequestKey: "1", prevRequestKey: "-1")
    }

    func fetchNext(nextKey: String, param: UnitHash) async throws -> TwoWayPaginationFetcherResultNext<Int> {
        let page = Int(nextKey) ?? 0
        return TwoWayPaginationFetcherResultNext(data: items(page), nextRequestKey: "\(page + 1)")
    }

    func fetchPrev(prevKey: String, param: UnitHash) async throws -> TwoWayPaginationFetcherResultPrev<Int> {
        let page = Int(prevKey) ?? 0
        return TwoWayPaginationFetcherResultPrev(data: items(page), prevRequestKey: "\(page - 1)")
    }

    private func items(_ page: Int) -> [Int] { Array(page * 50..<page * 50 + 50) }
}

private func measureStorePages(_ recorder: Recorder) async throws {
    for (name, text, isWatched) in [("pages", "", false), ("watched", ", watched", true)] {
        var times: [Int: Double] = [:]
        for count in [200, 400, 800] {
            let time = try await recorder.median { try await loadPages(count, isWatched: isWatched) }
            times[count] = time
            recorder.record(
                "W10.\(name)\(count)", "\(count) pages of 50 items, next and previous in turn\(text)", .milliseconds,
                time / 1e6, floor: nil, target: nil)
        }
        guard let few = times[200], let many = times[800] else { return }
        recorder.record(
            "W10.\(name).growth", "800 pages beside 200\(text)", .times, many / few, floor: 4,
            target: isWatched ? nil : 5)
    }
}

private func loadPages(_ count: Int, isWatched: Bool) async throws -> Double {
    let store = AnyStoreFlowable.from(
        cacher: TwoWayPaginationCacher<UnitHash, Int>(), fetcher: Pager(), client: QueryClient())
    await store.refresh()
    let counter = Counter()
    let subscription = isWatched ? store.publish().sink { _ in counter.add() } : nil
    let time = await nanoseconds {
        for number in 0..<count {
            if number.isMultiple(of: 2) { await store.requestNextData() } else { await store.requestPrevData() }
        }
    }
    subscription?.cancel()
    let items = try await store.requireData()
    precondition(items.count == (count + 1) * 50, "\(items.count) items")
    return time
}
