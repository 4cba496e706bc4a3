internal import Foundation
internal import PigeonCore

/// W17: items that several entries contain.
func measureItems(_ recorder: Recorder) async throws {
    try measureAnswers(recorder)
    try measureLargeList(recorder)
    try measureChanges(recorder)
    try await measureItemMemory(recorder)
}

/// A user as a server sends it.
private struct Member: Identifiable, Codable, Equatable, Sendable {
    let id: Int
    var name: String
    var mail: String
    var city: String
    var age: Int
    var isActive: Bool

    init(_ id: Int, round: Int = 0) {
        self.id = id
        (name, mail, city) = ("Member \(id) of round \(round)", "member\(id)@example.com", "City \(id % 100)")
        (age, isActive) = (id % 90, id % 2 == 0)
    }
}

private let plain = QueryDefinition<[Member]>.value("plain")

private func members(_ key: Int) -> QueryDefinition<[Member]> {
    .value("members", key).contains(each: Member.self)
}

private let answerSize = 1000

/// An answer of 1,000 users, from its bytes until all entries have it.
private func measureAnswers(_ recorder: Recorder) throws {
    let answers = try (0..<2).map { round in
        try JSONEncoder().encode((0..<answerSize).map { Member($0, round: round) })
    }
    func time(_ subject: QueryDefinition<[Member]>, in client: QueryClient, changes: Bool) throws -> Double {
        var round = 0
        return try recorder.median {
            round += 1
            let data = answers[changes ? round % 2 : 0]
            return try nanoseconds { try client.set(JSONDecoder().decode([Member].self, from: data), for: subject) }
        }
    }
    let floor = try time(plain, in: QueryClient(), changes: true)
    func record(_ name: String, _ subject: String, _ time: Double) {
        recorder.record(name, subject, .milliseconds, time / 1e6, floor: floor / 1e6, target: floor * 2 / 1e6)
    }
    record(
        "W17.answer", "an answer of 1,000 items that nothing else has",
        try time(members(0), in: QueryClient(), changes: true))
    let client = QueryClient()
    try client.set((0..<answerSize).map { Member($0) }, for: members(1))
    record("W17.equal", "the same, and another list has equal ones", try time(members(0), in: client, changes: false))
    record(
        "W17.newer", "the same, and another list receives all 1,000", try time(members(0), in: client, changes: true))
}

/// A list of 10,000 items with two fields, as Apollo publishes figures for.
private func measureLargeList(_ recorder: Recorder) throws {
    struct Row: Identifiable, Equatable, Sendable {
        let id: Int
        let name: String
    }
    let list = QueryDefinition<[Row]>.value("rows").contains(each: Row.self)
    let client = QueryClient()
    var round = 0
    let write = try recorder.median {
        round += 1
        let rows = (0..<10_000).map { Row(id: $0, name: "Row \($0) of round \(round)") }
        return try nanoseconds { try client.set(rows, for: list) }
    }
    recorder.record("W17.write", "store 10,000 items of two fields, without decoding", .milliseconds, write / 1e6)
    let read = recorder.median {
        nanoseconds { for _ in 0..<1000 { use(client.value(of: list)?.count ?? 0) } } / 1000
    }
    recorder.record("W17.read", "read these 10,000 items", .nanoseconds, read)
}

/// An item that two entries contain, among 100 and among 10,000 entries.
private func measureChanges(_ recorder: Recorder) throws {
    var times: [Int: Double] = [:]
    for count in [100, 10_000] {
        let client = QueryClient()
        for key in 0..<count { try client.set((0..<10).map { Member(key / 2 * 10 + $0) }, for: members(key)) }
        var round = 0
        times[count] = recorder.median {
            nanoseconds {
                for _ in 0..<100 {
                    round += 1
                    client.update(Member.self, round % (count / 2)) { $0.name = "round \(round)" }
                }
            } / 100
        }
    }
    guard let few = times[100], let many = times[10_000] else { return }
    // The same two edits by their keys.
    let client = QueryClient()
    for key in 0..<2 { try client.set((0..<10).map { Member($0) }, for: .value("plain", key)) }
    var round = 0
    let floor = recorder.median {
        nanoseconds {
            for _ in 0..<100 {
                round += 1
                for key in 0..<2 {
                    client.update(QueryDefinition<[Member]>.value("plain", key)) { list in
                        guard let place = list.firstIndex(where: { $0.id == round % 10 }) else { return }
                        list[place].name = "round \(round)"
                    }
                }
            }
        } / 100
    }
    recorder.record(
        "W17.update", "an item that two of 100 entries of ten contain", .microseconds, few / 1e3, floor: floor / 1e3)
    recorder.record(
        "W17.growth", "the same among 10,000 entries, beside 100", .times, many / few, floor: 1, target: 2)
}

/// The bytes on the heap for 100,000 items in pages of 50, beyond the list itself.
private func measureItemMemory(_ recorder: Recorder) async throws {
    let count = 100_000
    func pages() -> Pages<[Member], Int> {
        Pages(
            (0..<count / 50).map { page in .init(id: page, page: (0..<50).map { Member(page * 50 + $0) }) }, nextID: nil
        )
    }
    func bytes(_ definition: QueryDefinition<Pages<[Member], Int>>) throws -> Double? {
        let client = QueryClient()
        let pages = pages()
        guard let before = heapInUse() else { return nil }
        try client.set(pages, for: definition)
        guard let after = heapInUse() else { return nil }
        return withExtendedLifetime(client) { Double(after - before) }
    }
    let list = QueryDefinition<Pages<[Member], Int>>.value("list")
    guard let bare = try bytes(list), let items = try bytes(list.contains(each: Member.self)) else { return }
    recorder.record(
        "W17.memory", "what 100,000 items in pages of 50 add to their list", .bytes, items - bare, target: 20e6)
}
