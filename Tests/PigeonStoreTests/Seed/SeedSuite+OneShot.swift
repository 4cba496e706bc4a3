import PigeonStore
import Testing

// Shown as declarations in the text; here each is called as declared, with and without its parameter.

extension SeedSuite {
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
            begin()
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
            begin()
            have(onDisk: "Old Ann", isExpired: true)
            App.world.withLock { $0.failure = Broken("offline") }
            let required: AnyPublisher<UserData, Error> = user.requireData()
            await #expect(throws: Broken("offline")) { try await required.first() }
            let got: AnyPublisher<UserData?, Never> = user.getData()
            #expect(try await got.first() == .some(nil))
        }

        @Test func `each place to get data from`() async throws {
            begin()
            for place in [GettingFrom.both, .origin, .cache] {
                have(onDisk: "Cached Ann")
                let data: AnyPublisher<UserData, Error> = user.requireData(from: place)
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
            begin()
            have(onDisk: "Cached Ann")
            let seen = Seen()
            let states: LoadingStatePublisher<UserData> = user.publish(forceRefresh: true)
            let subscription = states.sink { seen.add($0.word) }
            #expect(await seen.lines(until: "Ann") == ["Cached Ann…", "Ann"])
            subscription.cancel()
        }

        @Test func `refresh fetches for those who observe already`() async throws {
            begin()
            have(onDisk: "Cached Ann")
            let seen = Seen()
            let subscription = user.publish().sink { seen.add($0.word) }
            #expect(await seen.lines(until: "Cached Ann") == ["Cached Ann"])
            let refreshed: AnyPublisher<Void, Never> = user.refresh()
            try await refreshed.first()
            #expect(await seen.lines(until: "Ann") == ["Cached Ann…", "Ann"])
            subscription.cancel()
        }

        @Test func `validate fetches what is not valid, and only that`() async throws {
            begin()
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
            begin()
            have(onDisk: "Cached Ann")
            let seen = Seen()
            let subscription = user.publish().sink { seen.add($0.word) }
            let updated: AnyPublisher<Void, Never> = user.update(newData: UserData(id: 0, name: "Anna"))
            try await updated.first()
            #expect(await seen.lines(until: "Anna") == ["Cached Ann", "Anna"])
            let emptied: AnyPublisher<Void, Never> = user.update(newData: nil)
            try await emptied.first()
            #expect(await seen.lines(until: "!\(NoSuchElementError())").count == 1)
            #expect(App.world.withLock { $0.diskOfUsers.isEmpty })
            #expect(App.takeAsked().isEmpty)
            subscription.cancel()
        }

        @Test func `all of it is in the protocol`() async throws {
            begin()
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
