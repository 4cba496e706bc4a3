/// Describes errors of encoders and decoders by their place. Their own descriptions may contain values.
package enum CodingProblem {
    package static func isProblem(_ error: any Error) -> Bool { error is EncodingError || error is DecodingError }

    package static func place(of error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context): "\(path(context.codingPath + [key])) is missing"
        case DecodingError.valueNotFound(_, let context): "\(path(context.codingPath)) is null"
        case DecodingError.typeMismatch(let type, let context): "\(path(context.codingPath)) is not of type \(type)"
        case DecodingError.dataCorrupted(let context): "\(path(context.codingPath)) is damaged"
        case EncodingError.invalidValue(_, let context): "\(path(context.codingPath)) cannot be encoded"
        default: TransientError.label(error)
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the value" : keys.map(\.stringValue).joined(separator: ".")
    }
}
