import PigeonCore
import PigeonTesting
import Testing

@Suite("Mailbox", .timeLimit(.minutes(1)))
struct MailboxTests {
    let mailbox = Mailbox<Int>()

    @Test("The reader gets the newest item, once")
    func newest() async {
        mailbox.put(1)
        mailbox.put(2)
        #expect(await mailbox.next() == 2)
        mailbox.update { $0 = ($0 ?? 10) + 1 }
        mailbox.update { $0 = ($0 ?? 10) + 1 }
        #expect(await mailbox.next() == 12)
    }

    @Test("Finished, it ends after the last item; closed, at once")
    func ends() async {
        mailbox.put(1)
        mailbox.finish()
        mailbox.put(2)
        #expect(await mailbox.next() == 1)
        #expect(await mailbox.next() == nil)
        let closed = Mailbox<Int>()
        closed.put(1)
        closed.close()
        closed.put(2)
        #expect(await closed.next() == nil)
    }

    @Test("A finished mailbox can be closed, which drops its item")
    func closesAfterFinish() async {
        mailbox.put(1)
        mailbox.finish()
        mailbox.close()
        #expect(await mailbox.next() == nil)
    }

    @Test("A cancelled reader gets nil, and the mailbox is closed")
    func cancelled() async {
        let task = Task { [mailbox] in await mailbox.next() }
        task.cancel()
        #expect(await task.value == nil)
        mailbox.put(1)
        #expect(await mailbox.next() == nil)
    }

    @Test("Whatever the threads do, the reader gets the last item, and no older one after it")
    func races() async throws {
        for seed: UInt64 in 0..<100 {
            try await Interleaving(seed: seed).run { _ in
                let mailbox = Mailbox<Int>()
                async let puts: Void = {
                    for item in 1...4 { mailbox.put(item) }
                    mailbox.finish()
                }()
                var items: [Int] = []
                while let item = await mailbox.next() { items.append(item) }
                await puts
                #expect(items.last == 4)
                #expect(items == items.sorted())
            }
        }
    }
}
