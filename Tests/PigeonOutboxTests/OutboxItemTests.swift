import Foundation
import PigeonCore
import PigeonOutbox
import PigeonTesting
import TestSupport
import Testing

@Suite("Items and the outbox")
struct OutboxItemTests {
    fileprivate struct Member: Identifiable, Codable, Equatable, Sendable {
        let id: Int
        var name: String
        var likes = 0
    }

    /// Likes a member, wherever it stands.
    fileprivate struct LikeMember: DurableMutation {
        var id: Int
        func run(_ context: MutationContext) async throws -> String {
            try await context[NotesServer.self].make("like \(id)", context)
        }
        func optimistic(_ edits: inout OptimisticEdits) { edits.update(Member.self, id) { $0.likes += 1 } }
    }

    private static let detail = QueryDefinition<Member>.value("members", 1).contains(\.self)
    private static var list: QueryDefinition<[Member]> {
        QueryDefinition("members") { _ in [Member(id: 1, name: "Ann"), Member(id: 2, name: "Cid")] }
            .contains(each: Member.self)
    }

    @Test("an edit of an item that waits shows wherever the item stands, also after a restart", .rule("A102", "O4"))
    func restart() throws {
        let first = NotesProgram(isOnline: false, mutations: [LikeMember.self])
        try first.client.set(Member(id: 1, name: "Ann"), for: Self.detail)
        first.enqueue(LikeMember(id: 1))
        #expect(first.client.value(of: Self.detail)?.likes == 1)
        let observer = first.client.observe(Self.list.networkMode(.always))
        first.lab.settle()
        #expect(observer.value?.map(\.likes) == [1, 0] && observer.snapshot.isOptimistic)
        #expect(first.client.outbox.items(editing: Self.list).count == 1)
        #expect(first.client.outbox.items(editing: Self.detail).count == 1)
        #expect(first.client.outbox.items(editing: QueryDefinition<Member>.value("members", 2)).isEmpty)

        let second = NotesProgram(first.store, first.server, isOnline: false, mutations: [LikeMember.self])
        let again = second.client.observe(Self.list.networkMode(.always))
        second.lab.settle()
        #expect(again.value?.map(\.likes) == [1, 0] && again.snapshot.isOptimistic)
        second.lab.setOnline(true)
        second.lab.settle()
        #expect(second.server.made == ["like 1"])
        // The answer of the refetch, which this server makes without counting.
        #expect(again.value?.map(\.likes) == [0, 0] && !again.snapshot.isOptimistic)
    }

    @Test("an edit of an item that is refused is taken back in each entry", .rule("A102", "O4"))
    func refused() throws {
        let program = NotesProgram(mutations: [LikeMember.self])
        try program.client.set(Member(id: 1, name: "Ann"), for: Self.detail)
        let observer = program.client.observe(Self.list)
        program.lab.settle()
        program.server.fail("like 1", status: 422)
        program.enqueue(LikeMember(id: 1))
        program.lab.settle()
        #expect(observer.value?.map(\.likes) == [0, 0] && !observer.snapshot.isOptimistic)
        #expect(program.client.value(of: Self.detail)?.likes == 0)
        #expect(program.client.outbox.items(editing: Self.detail).isEmpty)
    }
}
