import PigeonStore
import TestSupport
import Testing

@Suite("errors of stores that people can read", .rule("A42", "N3"))
struct ReadableErrorTests {
    @Test("Each error has a text for users beside its description")
    func texts() {
        let errors: [any Error] = [
            NoSuchElementError(), AdditionalRequestOnErrorStateException(), AdditionalRequestOnNilException(),
        ]
        for error in errors { expectReadable(error) }
    }
}
