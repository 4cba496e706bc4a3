import PigeonStore
import Testing

@Suite("Coming from StoreFlowable")
struct LanguageModeTests {
    @Test("this list is compiled in the language mode of its target")
    func mode() {
        #if swift(>=6)
            #expect(String(reflecting: Self.self).hasPrefix("DropInStoreFlowableTests."))
        #else
            #expect(String(reflecting: Self.self).hasPrefix("DropInStoreFlowableSwift5Tests."))
        #endif
    }
}
