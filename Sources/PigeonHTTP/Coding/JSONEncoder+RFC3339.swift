package import Foundation

extension JSONEncoder {
    /// Writes dates as RFC 3339 has them. Shared, because making one costs as much as writing a small object.
    package static let rfc3339 = {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .rfc3339
        return encoder
    }()
}
