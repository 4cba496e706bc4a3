#if canImport(SwiftUI) || canImport(UIKit)
    internal import Foundation
    internal import PigeonREST

    extension Error {
        /// The message to show to users.
        var userMessage: String {
            (self as? RequestError)?.userMessage ?? localizedDescription
        }
    }
#endif
