import Foundation
import PigeonCore
package import PigeonOutbox
import Testing

private func id(_ number: Int) -> AssignedID {
    let token = UUID(uuidString: "00000000-0000-0000-0000-\(String(format: "%012d", number))")
    return AssignedID(token: token, data: Data("[\(number)]".utf8))
}

/// Checks that a store forgets the oldest identifiers of each session by itself, and none that a mutation names.
///
/// - Parameter reopen: Returns the store that the identifiers are read from.
package func expectIdentifiersAreKept(
    by store: any MutationStore, reopen: () throws -> any MutationStore
) throws {
    func assign(_ numbers: Range<Int>, in session: String?) throws {
        let changes = numbers.map { MutationBatch.Change.assign(id($0), session: session) }
        _ = try store.apply(MutationBatch(changes, isDurable: false))
    }
    func known(in session: String?) throws -> [AssignedID] {
        try #require(try reopen().changes(after: -1, in: session)).assigned
    }
    var mutation = EncodedMutation(name: "edit", version: 1, data: Data(), key: "k")
    mutation.temporaryIDs = [try #require(id(1).token)]
    let record = MutationRecord(
        scope: nil, session: "ann", client: "c", enqueuedAt: Date(timeIntervalSinceReferenceDate: 0),
        mutation: mutation)
    _ = try store.apply(MutationBatch([.insert(record)], isDurable: true))
    #expect(try store.changes(after: -1, in: "ann")?.records.first?.mutation == mutation)
    try assign(0..<3, in: "ann")
    try assign(100..<10_600, in: "bob")
    #expect(try known(in: "ann") == [id(0), id(1), id(2)])
    let bobs = try known(in: "bob")
    #expect((10_000..<10_300).contains(bobs.count))
    #expect(bobs.last == id(10_599))
    try assign(20_000..<30_600, in: "ann")
    let anns = try known(in: "ann")
    #expect((10_000..<10_300).contains(anns.count))
    #expect(anns.first == id(1))
    #expect(!anns.contains(id(0)))
}
