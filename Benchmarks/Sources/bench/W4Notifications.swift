internal import Pigeon

/// W4: 1,000 observers × 1,000 writes, each of which reads the value, and many observers that come and go.
func measureNotifications(_ recorder: Recorder) async throws {
    let measured = try recorder.median {
        let client = QueryClient()
        try client.set(User(0), for: .user(4))
        let sum = Counter()
        let held = (0..<observers).map { _ in client.observe(.user(4)) { sum.add($0.value?.id ?? 0) } }
        return try notifications(sum) { try client.set(User($0), for: .user(4)) }
            .keeping(held)
    }
    let floor = recorder.median {
        let sum = Counter()
        let closures = (0..<observers).map { _ in { @Sendable (user: User) in sum.add(user.id) } }
        return notifications(sum) { number in
            let user = User(number)
            for closure in closures { closure(user) }
        }
    }
    recorder.record(
        "W4.notify", "callbacks that read the value, 1,000 observers × 1,000 writes", .millionsPerSecond, measured,
        floor: floor, target: 25)
    try await measurePublisher(recorder)
    try await measureSequences(recorder)
    measureAttaching(recorder)
}

private let (observers, writes) = (1000, 1000)

/// The millions of notifications in a second.
private func notifications(_ sum: Counter, _ write: (Int) throws -> Void) rethrows -> Double {
    let before = sum.count
    let time = try nanoseconds { for number in 1...writes { try write(number) } }
    precondition(sum.count - before == observers * writes, "\(sum.count - before) notifications")
    return Double(observers * writes) / time * 1000
}

extension Double {
    /// Returns the number, and retains observers until it is known.
    fileprivate func keeping(_ observers: [some AnyObject]) -> Double { withExtendedLifetime(observers) { self } }
}

@MainActor
private func measurePublisher(_ recorder: Recorder) async throws {
    let measured = try recorder.median {
        let client = QueryClient()
        try client.set(User(0), for: .user(4))
        let query = Query(.user(4), client: client)
        let sum = Counter()
        let held = (0..<observers).map { _ in query.statePublisher.sink { sum.add($0.value?.id ?? 0) } }
        return try notifications(sum) { try client.set(User($0), for: .user(4)) }.keeping(held)
    }
    let floor = recorder.median {
        let subject = PassthroughSubject<User, Never>()
        let sum = Counter()
        let held = (0..<observers).map { _ in subject.sink { sum.add($0.id) } }
        return notifications(sum) { subject.send(User($0)) }.keeping(held)
    }
    recorder.record(
        "W4.publisher", "states of Query.statePublisher, whose value is read; the floor is a PassthroughSubject",
        .millionsPerSecond, measured, floor: floor)
}

/// Each write is received before the next, as the newest of several would replace the others.
private func measureSequences(_ recorder: Recorder) async throws {
    let client = QueryClient()
    try client.set(User(0), for: .user(4))
    var snapshots = client.observe(.user(4)).makeAsyncIterator()
    let measured = try await recorder.median {
        try await nanoseconds {
            for number in 1...writes {
                try client.set(User(number), for: .user(4))
                use(await snapshots.next()?.value?.id ?? 0)
            }
        } / Double(writes) / 1000
    }
    let floor = await recorder.median { await receiveFromStream() }
    recorder.record(
        "W4.sequence", "a write and its snapshot from a sequence; the floor is an AsyncStream", .microseconds, measured,
        floor: floor)
}

/// The microseconds that a value takes through a stream.
private func receiveFromStream() async -> Double {
    let (stream, writer) = AsyncStream.makeStream(of: User.self)
    var users = stream.makeAsyncIterator()
    let start = ContinuousClock.now
    for number in 1...writes {
        writer.yield(User(number))
        use(await users.next(isolation: #isolation)?.id ?? 0)
    }
    return start.duration(to: .now) / .microseconds(1) / Double(writes)
}

/// All watch one key. What each costs does not depend on how many there are.
private func measureAttaching(_ recorder: Recorder) {
    var times: [Int: Double] = [:]
    for count in [1000, 10_000, 100_000] {
        let client = QueryClient()
        let time = recorder.median {
            var held: [QueryObserver<User>] = []
            held.reserveCapacity(count)
            return nanoseconds {
                for _ in 0..<count { held.append(client.observe(.value("w4")) { _ in }) }
                for observer in held { observer.cancel() }
                held = []
            } / Double(count) / 1000
        }
        times[count] = time
        recorder.record(
            "W4.attach\(count)", "attach and detach an observer, \(count) at one key", .microseconds, time, floor: nil,
            target: nil)
    }
    guard let few = times[1000], let many = times[100_000] else { return }
    recorder.record("W4.growth", "100,000 observers beside 1,000", .times, many / few, floor: 1, target: nil)
}
