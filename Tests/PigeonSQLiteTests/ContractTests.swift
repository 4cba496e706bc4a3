import Foundation
import PigeonSQLite
import PigeonTesting
import Testing

@Suite("The contract of a store")
struct ContractTests {
    @Test(arguments: RecordStoreContract.Rule.allCases)
    func `The cache keeps each rule of the contract`(rule: RecordStoreContract.Rule) throws {
        let file = try TestFile()
        let contract = RecordStoreContract(open: { name in
            try SQLiteQueryCache(at: file.directory.appendingPathComponent("\(name).sqlite"))
        })
        try contract.check(rule)
    }
}
