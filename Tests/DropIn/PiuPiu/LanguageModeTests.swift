import PigeonFutures
import Testing

@Suite("Coming from PiuPiu")
struct LanguageModeTests {
    @Test("this list is compiled in the language mode of its target")
    func mode() {
        #if swift(>=6)
            #expect(String(reflecting: Self.self).hasPrefix("DropInPiuPiuTests."))
        #else
            #expect(String(reflecting: Self.self).hasPrefix("DropInPiuPiuSwift5Tests."))
        #endif
    }
}
