#if canImport(SwiftUI) || canImport(UIKit)
    internal import Foundation
    internal import PigeonREST

    extension Error {
        /// What users are told of the error.
        var userMessage: String {
            (self as? RequestError)?.userMessage ?? localizedDescription
        }
    }
#endif
