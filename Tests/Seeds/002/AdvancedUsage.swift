import PigeonStore
import SeedSupport
import Testing

// The README lists these functions without bodies. Theirs are the library's.

// "Get data without LoadingState enum"
// swift-format-ignore
// [002.5
public extension StoreFlowable {
    func getData(from: GettingFrom = .both) -> AnyPublisher<DATA?, Never>
    { LibraryStore(self).getData(from: from) }
    func requireData(from: GettingFrom = .both) -> AnyPublisher<DATA, Error>
    { LibraryStore(self).requireData(from: from) }
}
// 002.5]

/// The README's declarations, where the library has the same.
enum Declared {
    // "Get data without LoadingState enum"
    // swift-format-ignore
    // [002.6
    public enum GettingFrom {
        // Gets a combination of valid cache and remote. (Default behavior)
        case both
        // Gets only remotely.
        case origin
        // Gets only locally.
        case cache
    }
    // 002.6]

    enum Refreshing {
        // "Refresh data"
        // swift-format-ignore
        // [002.8
        public protocol StoreFlowable {
            func refresh() -> AnyPublisher<Void, Never>
        }
        // 002.8]
    }

    enum Validating {
        // "Validate cache data"
        // swift-format-ignore
        // [002.9
        public protocol StoreFlowable {
            func validate() -> AnyPublisher<Void, Never>
        }
        // 002.9]
    }

    enum Updating {
        typealias DATA = UserData

        // "Update cache data"
        // swift-format-ignore
        // [002.10
        public protocol StoreFlowable {
            func update(newData: DATA?) -> AnyPublisher<Void, Never>
        }
        // 002.10]
    }
}

// "Refresh data"
// swift-format-ignore
// [002.7
public extension StoreFlowable {
    func publish(forceRefresh: Bool = false) -> LoadingStatePublisher<DATA>
    { LibraryStore(self).publish(forceRefresh: forceRefresh) }
}
// 002.7]

// "Request additional data"
// swift-format-ignore
// [002.14
public extension PaginationStoreFlowable {
    func requestNextData(continueWhenError: Bool = true) -> AnyPublisher<Void, Never>
    { LibraryStore(self).requestNextData(continueWhenError: continueWhenError) }
}
// 002.14]

// The library's stores are what is declared.
extension AnyStoreFlowable: Declared.Refreshing.StoreFlowable, Declared.Validating.StoreFlowable {}
extension AnyStoreFlowable: Declared.Updating.StoreFlowable where DATA == UserData {}

extension GettingFrom {
    init(_ place: Declared.GettingFrom) {
        switch place {
        case .both: self = .both
        case .origin: self = .origin
        case .cache: self = .cache
        }
    }
}

extension Seed002 {
    @MainActor
    struct OneShot {
        private let user = UserFlowableFactory(userId: 0).create()

        private func have(onDisk name: String, isExpired: Bool = false) {
            App.world.withLock { world in
                world.diskOfUsers[0] = UserData(id: 0, name: name)
                world.isExpired = isExpired
            }
        }

        @Test func `requireData gives a valid cache or fetches, as getData does`() async throws {
            Seed002.begin()
            let required: AnyPublisher<UserData, Error> = user.requireData()
            #expect(try await required.first()?.name == "Ann")
            have(onDisk: "Cached Ann")
            let got: AnyPublisher<UserData?, Never> = user.getData()
            #expect(try await got.first()??.name == "Cached Ann")
            #expect(App.takeAsked() == ["user 0"])
            have(onDisk: "Old Ann", isExpired: true)
            let anew: AnyPublisher<UserData, Error> = user.requireData(from: .both)
            #expect(try await anew.first()?.name == "Ann")
            #expect(App.takeAsked() == ["user 0"])
        }

        @Test func `without valid cache and without an answer, requireData fails and getData gives nil`() async throws {
            Seed002.begin()
            have(onDisk: "Old Ann", isExpired: true)
            App.world.withLock { $0.failure = Broken("offline") }
            let required: AnyPublisher<UserData, Error> = user.requireData()
            await #expect(throws: Broken("offline")) { try await required.first() }
            let got: AnyPublisher<UserData?, Never> = user.getData()
            #expect(try await got.first() == .some(nil))
        }

        @Test func `each place to get data from`() async throws {
            Seed002.begin()
            for place in [Declared.GettingFrom.both, .origin, .cache] {
                have(onDisk: "Cached Ann")
                let data: AnyPublisher<UserData, Error> = user.requireData(from: GettingFrom(place))
                let name = try await data.first()?.name
                switch place {
                // Gets a combination of valid cache and remote. (Default behavior)
                case .both: #expect(name == "Cached Ann" && App.takeAsked().isEmpty)
                // Gets only remotely.
                case .origin: #expect(name == "Ann" && App.takeAsked() == ["user 0"])
                // Gets only locally.
                case .cache: #expect(name == "Cached Ann" && App.takeAsked().isEmpty)
                }
            }
            App.world.withLock { $0.diskOfUsers = [:] }
            let missing: AnyPublisher<UserData, Error> = user.requireData(from: .cache)
            await #expect(throws: NoSuchElementError()) { try await missing.first() }
            let nothing: AnyPublisher<UserData?, Never> = user.getData(from: .cache)
            #expect(try await nothing.first() == .some(nil))
            #expect(App.takeAsked().isEmpty)
        }

        @Test func `publish with forceRefresh ignores the cache`() async {
            Seed002.begin()
            have(onDisk: "Cached Ann")
            let seen = Journal()
            let states: LoadingStatePublisher<UserData> = user.publish(forceRefresh: true)
            let subscription = states.sink { seen.add($0.word) }
            #expect(await seen.take(until: "Ann") == ["Cached Ann…", "Ann"])
            subscription.cancel()
        }

        @Test func `refresh fetches for those who observe already`() async throws {
            Seed002.begin()
            have(onDisk: "Cached Ann")
            let seen = Journal()
            let subscription = user.publish().sink { seen.add($0.word) }
            #expect(await seen.take(until: "Cached Ann") == ["Cached Ann"])
            let refreshed: AnyPublisher<Void, Never> = user.refresh()
            try await refreshed.first()
            #expect(await seen.take(until: "Ann") == ["Cached Ann…", "Ann"])
            subscription.cancel()
        }

        @Test func `validate fetches what is not valid, and only that`() async throws {
            Seed002.begin()
            have(onDisk: "Cached Ann")
            let validated: AnyPublisher<Void, Never> = user.validate()
            try await validated.first()
            #expect(App.takeAsked().isEmpty)
            have(onDisk: "Old Ann", isExpired: true)
            try await validated.first()
            #expect(App.takeAsked() == ["user 0"])
            #expect(App.world.withLock { $0.diskOfUsers[0]?.name } == "Ann")
        }

        @Test func `update changes the cache and tells observers, and nil empties it`() async throws {
            Seed002.begin()
            have(onDisk: "Cached Ann")
            let seen = Journal()
            let subscription = user.publish().sink { seen.add($0.word) }
            let updated: AnyPublisher<Void, Never> = user.update(newData: UserData(id: 0, name: "Anna"))
            try await updated.first()
            #expect(await seen.take(until: "Anna") == ["Cached Ann", "Anna"])
            let emptied: AnyPublisher<Void, Never> = user.update(newData: nil)
            try await emptied.first()
            #expect(await seen.take(until: "!\(NoSuchElementError())").count == 1)
            #expect(App.world.withLock { $0.diskOfUsers.isEmpty })
            #expect(App.takeAsked().isEmpty)
            subscription.cancel()
        }

        @Test func `all of it is in the protocol`() async throws {
            Seed002.begin()
            func use(_ flowable: some StoreFlowable<UserId, UserData>) async throws {
                let states: LoadingStatePublisher<UserData> = flowable.publish()
                let forced: LoadingStatePublisher<UserData> = flowable.publish(forceRefresh: true)
                #expect(try await states.first()?.word == "…")
                #expect(try await forced.first() != nil)
                let required: AnyPublisher<UserData, Error> = flowable.requireData()
                let got: AnyPublisher<UserData?, Never> = flowable.getData(from: .cache)
                #expect(try await required.first() == got.first() ?? nil)
                for done: AnyPublisher<Void, Never> in [
                    flowable.refresh(), flowable.validate(), flowable.update(newData: nil),
                ] {
                    try await done.first()
                }
            }
            try await use(user)
            #expect(App.world.withLock { $0.diskOfUsers.isEmpty })
        }
    }
}
