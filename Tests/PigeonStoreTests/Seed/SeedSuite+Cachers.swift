import Foundation
import PigeonStore
import TestSupport
import Testing

// The same app in the form of version 4: cachers, fetchers and sequences. The type of a store also names its key, as in
// version 2: `AnyStoreFlowable<UserId, UserData>` instead of version 4's `AnyStoreFlowable<UserData>`.

extension SeedSuite {
    class UserCacher: Cacher<UserId, UserData>, @unchecked Sendable {
        static let shared = UserCacher()
        private override init() {}

        override var expireSeconds: TimeInterval {
            TimeInterval(60 * 30)  // 30 minutes
        }

        override var epochSeconds: Double { App.world.withLock { $0.isExpired } ? 1e10 : 1e9 }
    }

    struct UserFetcher: Fetcher {
        typealias PARAM = UserId
        typealias DATA = UserData

        func fetch(param: UserId) async throws -> UserData {
            try App.answer("user \(param)") { $0.users[param] }
        }
    }

    struct CachedUserRepository {
        func followUserData(userId: UserId) -> LoadingStateSequence<UserData> {
            let userFlowable: AnyStoreFlowable<UserId, UserData> = AnyStoreFlowable.from(
                cacher: UserCacher.shared, fetcher: UserFetcher(), param: userId)
            return userFlowable.publish()
        }

        func updateUserData(userData: UserData) async {
            let userFlowable: AnyStoreFlowable<UserId, UserData> = AnyStoreFlowable.from(
                cacher: UserCacher.shared, fetcher: UserFetcher(), param: userData.id)
            await userFlowable.update(newData: userData)
        }
    }

    class UserListCacher: PaginationCacher<UnitHash, UserData>, @unchecked Sendable {
        static let shared = UserListCacher()
        private override init() {}
    }

    struct UserListFetcher: PaginationFetcher {
        typealias PARAM = UnitHash
        typealias DATA = UserData

        func fetch(param: UnitHash) async throws -> PaginationFetcher.Result<UserData> {
            let data = try App.answer("list from the start") { Array($0.users.prefix(2)) }
            return Result(data: data, nextRequestKey: data.nextToken)
        }

        func fetchNext(nextKey: String, param: UnitHash) async throws -> PaginationFetcher.Result<UserData> {
            let data = try App.answer("list from \(nextKey)") { world in
                Array(world.users.dropFirst(Int(nextKey) ?? 0).prefix(2))
            }
            return Result(data: data, nextRequestKey: data.nextToken)
        }
    }

    class TimelineCacher: TwoWayPaginationCacher<UnitHash, UserData>, @unchecked Sendable {
        static let shared = TimelineCacher()
        private override init() {}
    }

    struct TimelineFetcher: TwoWayPaginationFetcher {
        typealias PARAM = UnitHash
        typealias DATA = UserData

        func fetch(param: UnitHash) async throws -> TwoWayPaginationFetcher.Result.Initial<UserData> {
            let data = try App.answer("the middle") { [$0.users[2]] }
            return Result.Initial(data: data, nextRequestKey: "3", prevRequestKey: "1")
        }

        func fetchNext(
            nextKey: String, param: UnitHash
        ) async throws -> TwoWayPaginationFetcher.Result.Next<UserData> {
            let data = try App.answer("next \(nextKey)") { [$0.users[Int(nextKey) ?? 0]] }
            return Result.Next(data: data, nextRequestKey: nextKey == "4" ? nil : "4")
        }

        func fetchPrev(
            prevKey: String, param: UnitHash
        ) async throws -> TwoWayPaginationFetcher.Result.Prev<UserData> {
            let data = try App.answer("prev \(prevKey)") { [$0.users[Int(prevKey) ?? 0]] }
            return Result.Prev(data: data, prevRequestKey: prevKey == "0" ? "" : "0")
        }
    }

    @MainActor
    struct Cachers {
        /// Follows a user as the example does, until the states end with this line.
        private func subscribe(userId: UserId, until line: String) async -> [String] {
            var lines: [String] = []
            for await state in CachedUserRepository().followUserData(userId: userId) {
                state.doAction(
                    onLoading: { (content: UserData?) in
                        lines.append("loading \(content?.name ?? "nothing")")
                    },
                    onCompleted: { (content: UserData, _, _) in
                        lines.append("completed \(content)")
                    },
                    onError: { (error: Error) in
                        lines.append("error \((error as? Broken)?.name ?? "other")")
                    }
                )
                if lines.last == line { break }
            }
            return lines
        }

        // A sequence gives a slow reader the newest state, so the states before the last may be skipped.

        @Test(.rule("C1")) func `a loop follows a user, finds it cached, and fetches it again once it has expired`()
            async
        {
            begin()
            #expect(await subscribe(userId: 0, until: "completed Ann").last == "completed Ann")
            #expect(await subscribe(userId: 0, until: "completed Ann") == ["completed Ann"])
            #expect(App.takeAsked() == ["user 0"])
            App.world.withLock { world in
                world.isExpired = true
                world.users[0].name = "Anna"
            }
            #expect(await subscribe(userId: 0, until: "completed Anna").last == "completed Anna")
            #expect(App.takeAsked() == ["user 0"])
        }

        @Test func `an update is what the next loop finds`() async {
            begin()
            _ = await subscribe(userId: 0, until: "completed Ann")
            await CachedUserRepository().updateUserData(userData: UserData(id: 0, name: "Anna"))
            #expect(await subscribe(userId: 0, until: "completed Anna") == ["completed Anna"])
            #expect(App.takeAsked() == ["user 0"])
        }

        @Test func `a loop sees an error, and the next one the data`() async {
            begin()
            App.world.withLock { $0.failure = Broken("offline") }
            #expect(await subscribe(userId: 0, until: "error offline").last == "error offline")
            App.world.withLock { $0.failure = nil }
            #expect(await subscribe(userId: 0, until: "completed Ann").last == "completed Ann")
        }

        @Test func `data comes without states, from where it is asked for`() async throws {
            begin()
            let user = AnyStoreFlowable.from(cacher: UserCacher.shared, fetcher: UserFetcher(), param: 0)
            #expect(await user.getData(from: .cache) == nil)
            await #expect(throws: NoSuchElementError()) { try await user.requireData(from: .cache) }
            #expect(try await user.requireData().name == "Ann")
            #expect(await user.getData(from: .cache)?.name == "Ann")
            #expect(try await user.requireData(from: .both).name == "Ann")
            #expect(App.takeAsked() == ["user 0"])
            #expect(try await user.requireData(from: .origin).name == "Ann")
            await user.validate()
            #expect(App.takeAsked() == ["user 0"])
            await user.refresh()
            #expect(App.takeAsked() == ["user 0"])
            await user.clear()
            #expect(await user.getData(from: .cache) == nil)
        }

        @Test(.rule("StoreFlowable F24")) func `the pagination example compiles; pages are requested, and end`()
            async throws
        {
            begin()
            let users = AnyStoreFlowable.from(cacher: UserListCacher.shared, fetcher: UserListFetcher())
            let early = await users.requestNextData()
            #expect(throws: AdditionalRequestOnNilException()) { try early.get() }
            _ = try await users.requireData()
            for _ in 1...3 { try await users.requestNextData().get() }
            #expect(try await users.requireData(from: .cache).map(\.name) == ["Ann", "Bob", "Cem", "Dee", "Eva"])
            #expect(App.takeAsked() == ["list from the start", "list from 2", "list from 4"])
            for await state in users.publish() {
                #expect(state.word == "[Ann, Bob, Cem, Dee, Eva]")
                break
            }
        }

        @Test func `pages at both sides are requested`() async throws {
            begin()
            let users = AnyStoreFlowable.from(cacher: TimelineCacher.shared, fetcher: TimelineFetcher())
            _ = try await users.requireData()
            for _ in 1...3 {
                try await users.requestPrevData(continueWhenError: true).get()
                try await users.requestNextData(continueWhenError: true).get()
            }
            #expect(try await users.requireData(from: .cache).map(\.name) == ["Ann", "Bob", "Cem", "Dee", "Eva"])
            #expect(App.takeAsked() == ["the middle", "prev 1", "next 3", "prev 0", "next 4"])
        }

        @Test func `what is observed can be mapped and combined`() async {
            begin()
            let repository = CachedUserRepository()
            let both = repository.followUserData(userId: 0)
                .combineState(repository.followUserData(userId: 1)) { "\($0) and \($1)" }
                .mapContent { $0 + "!" }
            for await state in both where state.content != nil {
                #expect(state.word == "Ann and Bob!")
                break
            }
        }
    }
}
