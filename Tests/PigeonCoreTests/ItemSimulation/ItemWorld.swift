import PigeonCore
import PigeonOutbox
import PigeonTesting

/// A program whose queries contain the same users, and its server. Actions decide when requests are answered, in which order,
/// and what fails. After each action, and at each call of an observer, the world compares all places.
///
/// The rules:
/// - `places`: All values that contain an item have an equal one (A99), also at each call of an observer. An entry that shows
///   confirmed changes which are not part of its value is left out, because it may wait (A101).
/// - `order`: An item never goes back to a lower version while some place has it (A100). A version counts the changes on the
///   server, which answers with those at the time of the request. Records and answers of mutations may be older than what is
///   shown, so an item may go back when a record is read, and when the program writes the answer of a mutation.
/// - `shown`: A place shows its value with the changes of the mutations that run, each once, and with no other (A102).
/// - `caller`: A caller receives the items that the place shows (A100).
/// - `session`: After a sign-out, nothing of the session before is shown.
/// - `end`: When everything is answered and fetched again, each place shows what the server has, and no change is left.
final class ItemWorld: @unchecked Sendable {  // used only by the thread that runs the world
    struct Problem {
        let rule: String
        let text: String
    }

    /// What a place has, and what it shows.
    private struct Sight {
        let place: Place
        let base: Seen?
        let shown: Seen?
        /// False if confirmed changes are not part of the value yet.
        let isSettled: Bool
    }

    /// The items that may go back in the current action.
    private enum Setback {
        case none
        case user(Int)
        case all
    }

    private let seed: UInt64
    private let server = Server()
    private let store = InMemoryMutationStore()
    private let cache = InMemoryQueryCache()
    private let places: [Place]
    private var lab: QueryLab
    private var lives: UInt64 = 1
    /// Seconds since the start.
    private var time = 0
    private var noteCount = 0
    private var observers: [AnyObject] = []
    /// The mutations that run.
    private var running: [(change: Change, task: LabTask<Void>)] = []
    /// The newest version of each item that places have.
    private var versions: [String: Int] = [:]
    private var setback = Setback.none
    private var isSigningOut = false
    /// Number of comparisons: of an item in two places, of a place with a change that runs, and of places left out.
    private(set) var counts = (shared: 0, optimistic: 0, unsettled: 0)

    private(set) var problem: Problem?
    /// The actions, each with the events of the client. `nil` to record none.
    var log: [String]?

    init(seed: UInt64) {
        self.seed = seed
        places = Self.places(of: server)
        lab = Self.boot(server, store, cache, seed: seed, startingAfter: 0)
    }

    private static func boot(
        _ server: Server, _ store: InMemoryMutationStore, _ cache: InMemoryQueryCache, seed: UInt64,
        startingAfter time: Int
    ) -> QueryLab {
        QueryLab(
            startingAfter: Double(time), seed: seed, cache: cache,
            outbox: Outbox.Setup(store: store, mutations: [LikeLater.self]), dependencies: Dependencies(server))
    }

    /// Ends the program, so that nothing waits any longer.
    func close() {
        problem = problem ?? Problem(rule: "closed", text: "")
        observers = []
        for _ in 0..<5 where !server.open.isEmpty {
            server.endAll()
            lab.settle()
        }
    }

    private func found(_ rule: String, _ text: String) {
        if problem == nil { problem = Problem(rule: rule, text: text) }
    }

    // MARK: Actions

    func perform(_ action: Action) {
        log?.append("\(action)")
        setback = .none
        switch action {
        case .observe, .unobserve, .fetch, .nextPage: look(action)
        case .like, .likeLater, .hide, .add: mutate(action)
        case .push, .replace, .mark, .leave, .join: write(action)
        case .invalidate(let index): lab.client.invalidateWithoutWaiting(.key(place(index).key))
        case .invalidateUser(let id): lab.client.invalidateWithoutWaiting(.containing(User.self, id))
        case .evict(let index): lab.client.remove(.key(place(index).key))
        case .signOut: signOut()
        case .handle(let index): call(index)?.handle()
        case .answer(let index): answer(index)
        case .lose(let index): end(index, status: 503, isHandled: true)
        case .fail(let index): end(index, status: 503, isHandled: false)
        case .refuse(let index): end(index, status: 400, isHandled: false)
        case .change(let id): server.change(id)
        case .changePost(let id): server.changePost(id)
        case .wait(let seconds):
            time += seconds
            lab.advance(by: .seconds(seconds))
        case .network(let isOnline): lab.setOnline(isOnline)
        case .restart(let flushes): restart(flushes: flushes)
        }
        lab.settle()
        running.removeAll { $0.task.result != nil }
        check(isWithin: false)
        log?.append(contentsOf: lab.clearLog().map { "  \($0)" })
    }

    private func place(_ index: Int) -> Place { places[index % places.count] }

    private func call(_ index: Int) -> Server.Call? {
        server.open.isEmpty ? nil : server.open[index % server.open.count]
    }

    private func look(_ action: Action) {
        let client = lab.client
        switch action {
        case .observe(let index):
            let observed = place(index)
            noteReading(of: observed)
            observers.append(observed.observe(client) { [weak self] in self?.check(isWithin: true) })
        case .unobserve(let index):
            if !observers.isEmpty { observers.remove(at: index % observers.count) }
        case .fetch(let index):
            let fetched = place(index)
            noteReading(of: fetched)
            _ = lab.start { [weak self] in
                let value = try await fetched.fetch(client)
                self?.check(value, receivedFrom: fetched)
            }
        default:
            let pages = Self.pages(server)
            _ = lab.start { _ = try await client.fetchNextPage(of: pages) }
        }
    }

    /// Notes that a record may be read, which is older than what is shown.
    private func noteReading(of place: Place) {
        if place.isPersisted, lab.client.inspect().entries[place.key] == nil { setback = .all }
    }

    private func mutate(_ action: Action) {
        let client = lab.client
        switch action {
        case .likeLater(let id): _ = lab.start { _ = try await client.enqueue(LikeLater(user: id)) }
        case .like(let id, let writes, let invalidates):
            guard let user = server.user(id) else { return }
            start(Change(kind: .like, user: user, writes: writes, isInvalidating: invalidates, server: server))
        case .hide(let id):
            start(Change(kind: .hide, user: User(id: id, version: 0, session: server.session), server: server))
        default:
            let user = User(id: server.makeID(), version: 0, session: server.session)
            start(Change(kind: .add, user: user, server: server))
        }
    }

    private func start(_ change: Change) {
        let client = lab.client
        let task = lab.start { _ = try await client.mutate(change) }
        running.append((change, task))
    }

    /// Writes what the program has learned from elsewhere.
    private func write(_ action: Action) {
        let client = lab.client
        switch action {
        case .push(let id):
            if let user = server.user(id) { client.update(User.self, id) { $0 = user } }
        case .replace(let id, let index):
            let edited = place(index)
            noteReading(of: edited)
            if let user = server.user(id) { edited.replace(client, user) }
        case .mark(let id, let fetchWins):
            noteCount += 1
            let note = noteCount
            client.update(User.self, id, during: fetchWins ? .fetchWins : .keep) { $0.note = note }
        case .leave(let id):
            server.remove(id)
            client.remove(User.self, id)
        default:
            let id = server.makeID()
            server.add(id)
            if let user = server.user(id) { client.insert(user, into: .key("users")) }
        }
    }

    private func answer(_ index: Int) {
        guard let taken = call(index).flatMap({ server.take($0.id) }) else { return }
        if let user = taken.written { setback = .user(user) }
        log?.append("  (\(taken.text))")
        taken.succeed()
    }

    private func end(_ index: Int, status: Int, isHandled: Bool) {
        guard let taken = call(index).flatMap({ server.take($0.id) }) else { return }
        log?.append("  (\(taken.text))")
        if isHandled { taken.handle() }
        taken.fail(Refusal(statusCode: status))
    }

    private func signOut() {
        isSigningOut = true
        defer { isSigningOut = false }
        server.session += 1
        let client = lab.client
        let task = lab.start { try await client.clear() }
        lab.settle()
        versions = [:]
        if case .success = task.result { return }
        found("session", "a sign-out does not end, or fails: \(task.error.map { "\($0)" } ?? "")")
    }

    private func restart(flushes: Bool) {
        let client = lab.client
        if flushes {
            _ = lab.start { await client.flush() }
            lab.settle()
        }
        // What the old process had begun is not run any further.
        observers = []
        server.endAll()
        running = []
        versions = [:]
        time += 1
        lives += 1
        lab = Self.boot(server, store, cache, seed: seed &+ lives, startingAfter: time)
    }

    // MARK: Rules

    private var sights: [Sight] {
        let entries = lab.client.inspect().entries
        return places.compactMap { place in
            guard let entry = entries[place.key]?.entry else { return nil }
            return Sight(
                place: place, base: entry.base.flatMap { place.see($0) }, shown: entry.shown.flatMap { place.see($0) },
                isSettled: !entry.layers.contains { $0.isConfirmed })
        }
    }

    /// - Parameter isWithin: True in the call of an observer, during an action.
    private func check(isWithin: Bool) {
        guard problem == nil else { return }
        let all = sights
        let settled = all.filter(\.isSettled)
        counts.unsettled += all.count - settled.count
        let users = compare(settled, "has") { $0.base?.users }
        let posts = compare(settled, "has") { $0.base?.posts }
        // A user that the program adds is shown as it was made, but only in lists that receive it.
        _ = compare(settled, "shows") { $0.shown?.users.filter { $0.id < 100 } }
        _ = compare(settled, "shows") { $0.shown?.posts }
        checkOrder(users, posts)
        if !isSigningOut { checkSession(all) }
        if !isWithin { checkShown(settled) }
    }

    /// Compares the items of places.
    ///
    /// - Returns: The items, by their identifiers.
    private func compare<Item: Identifiable & Equatable>(
        _ sights: [Sight], _ verb: String, _ items: (Sight) -> [Item]?
    ) -> [Item.ID: Item] {
        var known: [Item.ID: (item: Item, name: String)] = [:]
        for sight in sights {
            for item in items(sight) ?? [] {
                guard let other = known[item.id] else {
                    known[item.id] = (item, sight.place.name)
                    continue
                }
                counts.shared += 1
                if other.item != item {
                    found("places", "\(sight.place.name) \(verb) \(item), and \(other.name) \(other.item)")
                }
            }
        }
        return known.mapValues(\.item)
    }

    private func checkOrder(_ users: [Int: User], _ posts: [Int: Post]) {
        var newest: [String: Int] = [:]
        // What the program has made has no version of the server.
        for (id, user) in users where id < 100 { newest["user \(id)"] = user.version }
        for (id, post) in posts { newest["post \(id)"] = post.version }
        for (item, version) in newest {
            guard let before = versions[item], version < before else { continue }
            switch setback {
            case .all: continue
            case .user(let id) where item == "user \(id)": continue
            default: found("order", "\(item) went back from version \(before) to \(version)")
            }
        }
        versions = newest
    }

    private func checkSession(_ sights: [Sight]) {
        for sight in sights {
            for seen in [sight.base, sight.shown].compactMap({ $0 }) {
                let users = seen.users + seen.posts.map(\.author)
                for user in users where user.session != server.session {
                    found("session", "\(sight.place.name) has \(user), and the session is \(server.session)")
                }
            }
        }
    }

    private func checkShown(_ sights: [Sight]) {
        let later = lab.client.outbox.snapshot.waiting.compactMap { ($0.mutation as? LikeLater)?.user }
        for sight in sights {
            let expected = sight.base.map { value($0, in: sight.place, later) }
            if expected != sight.base { counts.optimistic += 1 }
            if sight.shown != expected {
                found("shown", "\(sight.place.name) shows \(text(sight.shown)) instead of \(text(expected))")
            }
        }
    }

    private func text(_ seen: Seen?) -> String { seen.map { "\($0)" } ?? "nothing" }

    /// A value with the changes of the mutations that run.
    private func value(_ base: Seen, in place: Place, _ later: [Int]) -> Seen {
        var seen = base
        let likes = later + running.filter { $0.change.kind == .like }.map(\.change.user.id)
        for id in likes {
            for index in seen.users.indices where seen.users[index].id == id { seen.users[index].likes += 1 }
            for index in seen.posts.indices where seen.posts[index].author.id == id {
                seen.posts[index].author.likes += 1
            }
        }
        for (change, _) in running where change.kind == .hide && place.isList {
            seen.users.removeAll { $0.id == change.user.id }
        }
        for (change, _) in running where change.kind == .add && place.takesNew {
            let indices = seen.users.indices.filter { seen.users[$0].id == change.user.id }
            for index in indices { seen.users[index] = change.user }
            if indices.isEmpty { seen.users.insert(change.user, at: 0) }
        }
        return seen
    }

    /// Checks a value that a caller received.
    private func check(_ value: Payload, receivedFrom place: Place) {
        guard problem == nil, let received = place.see(value) else { return }
        guard let shown = sights.first(where: { $0.place.key == place.key })?.shown else { return }
        // A list that waits may have a user in two versions, on two pages.
        let users = Dictionary(grouping: shown.users, by: \.id).mapValues { Set($0.map(\.version)) }
        for user in received.users where user.id < 100 {
            guard let versions = users[user.id], !versions.contains(user.version) else { continue }
            found("caller", "a caller received \(user) from \(place.name), which shows \(versions.sorted())")
        }
    }

    // MARK: The end

    /// Lets everything end, fetches everything again, and compares it with the server.
    func finish() {
        log?.append("the end")
        perform(.network(true))
        for _ in 0..<60 where problem == nil {
            answerAll()
            if running.isEmpty, lab.client.outbox.snapshot.waiting.isEmpty { break }
            perform(.wait(60))
        }
        let waiting = lab.client.outbox.snapshot.waiting.count
        if !running.isEmpty || waiting > 0 {
            found("end", "\(running.count) mutations run, and \(waiting) of the outbox wait")
        }
        for index in places.indices { perform(.fetch(index)) }
        answerAll()
        guard problem == nil else { return }
        for sight in sights {
            let (place, client) = (sight.place, lab.client)
            if client.inspect().entries[place.key]?.entry.layers.isEmpty != true {
                found("end", "\(place.name) still shows a change")
            }
            guard let seen = sight.shown else {
                found("end", "\(place.name) shows nothing")
                continue
            }
            let expected = place.truth(seen)
            if seen != expected || sight.base != expected {
                found("end", "\(place.name) shows \(seen) instead of \(expected)")
            }
        }
        if sights.count != places.count { found("end", "only \(sights.map(\.place.name)) are in memory") }
    }

    private func answerAll() {
        for _ in 0..<300 where problem == nil && !server.open.isEmpty { perform(.answer(0)) }
        if !server.open.isEmpty { found("end", "the client asks forever: \(server.open.map(\.text))") }
    }
}
