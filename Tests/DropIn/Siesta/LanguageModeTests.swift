import PigeonREST
import Testing

@Suite("Coming from Siesta")
struct LanguageModeTests {
    @Test("this list is compiled in the language mode of its target")
    func mode() {
        #if swift(>=6)
            #expect(String(reflecting: Self.self).hasPrefix("DropInSiestaTests."))
        #else
            #expect(String(reflecting: Self.self).hasPrefix("DropInSiestaSwift5Tests."))
        #endif
    }
}
