import Foundation
import PigeonBase
package import Testing

/// Checks that the text of an error for users is made of words. The marker `hush` stands for a secret in the error.
package func expectReadable(
    _ text: String, of error: any Error, sourceLocation: SourceLocation = #_sourceLocation
) {
    let foreign = ["\(type(of: error))", "Pigeon", "could not be completed", "couldn’t be completed", "hush", "nil"]
    let found = foreign.filter { text.contains($0) }
    #expect(!text.isEmpty && found.isEmpty, "\(text)", sourceLocation: sourceLocation)
    let digits = text.filter { $0.isNumber }
    #expect(digits.isEmpty, "\(text)", sourceLocation: sourceLocation)
}

/// Checks that an error's text for users is made of words, wherever a program reads it.
package func expectReadable(_ error: any Error, sourceLocation: SourceLocation = #_sourceLocation) {
    expectReadable(error.localizedDescription, of: error, sourceLocation: sourceLocation)
    #expect(error.localizedDescription == error.userMessage, sourceLocation: sourceLocation)
}
