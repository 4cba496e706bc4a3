import PigeonCore
import PigeonTesting
import Testing

@Suite("The contract of a store")
struct RecordStoreContractTests {
    /// The files of stores, by name.
    private final class Disk: Sendable {
        private let files = Locked<[String: ToyStore.File]>([:])

        func file(_ name: String) -> ToyStore.File {
            files.withLock { files in
                let file = files[name] ?? ToyStore.File()
                files[name] = file
                return file
            }
        }
    }

    private func contract(_ flaw: ToyStore.Flaw? = nil) -> RecordStoreContract {
        let disk = Disk()
        return RecordStoreContract(open: { name in ToyStore(flaw, file: disk.file(name)) })
    }

    @Test(arguments: RecordStoreContract.Rule.allCases)
    func `a correct store keeps each rule`(rule: RecordStoreContract.Rule) throws {
        try contract().check(rule)
    }

    @Test func `a store without a file keeps the contract too`() throws {
        try RecordStoreContract(make: { ToyStore() }).check()
        try RecordStoreContract(make: { ToyStore(.forgets) }).check()
    }

    @Test(arguments: ToyStore.Flaw.allCases)
    func `a store with a flaw is refused, by the rule that it breaks`(flaw: ToyStore.Flaw) throws {
        let violation = #expect(throws: RecordStoreContract.Violation.self) { try contract(flaw).check(flaw.rule) }
        #expect(violation?.rule == flaw.rule)
        #expect(violation?.description.contains(flaw.rule.rawValue) == true)
        #expect(violation?.description.contains(flaw.rule.description) == true)
        #expect(violation?.expected != violation?.found)
        #expect(throws: RecordStoreContract.Violation.self) { try contract(flaw).check() }
    }

    @Test func `each rule refuses a store`() {
        #expect(Set(ToyStore.Flaw.allCases.map(\.rule)) == Set(RecordStoreContract.Rule.allCases))
    }

    @Test func `a violation shows the expected and the found result`() throws {
        let violation = #expect(throws: RecordStoreContract.Violation.self) {
            try contract(.findsByPrefix).check(.findsByPath)
        }
        let text = try #require(violation?.description)
        #expect(text.hasPrefix("the store breaks the rule findsByPath: the records of a path are"))
        #expect(text.contains("expected: [\"a\", \"a/\""))
        #expect(violation?.found.contains("ab") == true)
    }

    @Test func `an error of the store is a violation`() {
        let violation = #expect(throws: RecordStoreContract.Violation.self) {
            try contract(.throwsIfMissing).check(.returnsNothingUnsaved)
        }
        #expect(violation?.found == "Missing()")
    }
}
