import Pigeon
import Testing

@Suite("Coming from Pigeon")
struct LanguageModeTests {
    @Test("this list is compiled in the language mode of its target")
    func mode() {
        #if swift(>=6)
            #expect(String(reflecting: Self.self).hasPrefix("DropInPigeonTests."))
        #else
            #expect(String(reflecting: Self.self).hasPrefix("DropInPigeonSwift5Tests."))
        #endif
    }
}
