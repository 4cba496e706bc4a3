public import Foundation
public import PigeonCore

/// The errors of a mutation itself.
public enum MutationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The mutation's publisher finished without a value.
    case noValue(mutation: String)

    /// A description that names the mutation.
    public var description: String {
        switch self {
        case .noValue(let mutation): "the mutation \(mutation) finished without a value"
        }
    }
}

extension MutationError: LocalizedError, LocalizedReadableError {
    package var userText: UserText { .somethingWentWrong }
}
