internal import Foundation

extension URL {
    /// The address without user, password, query and fragment, any of which may be a secret: fit for descriptions.
    package var plainDescription: String {
        let address = AddressText(absoluteString)
        return "\(address.start)\(address.path)".printable
    }
}

extension String {
    /// The text on one line and not longer than 200 characters: fit for descriptions.
    package var printable: String {
        let line = unicodeScalars.prefix(200).reduce(into: "") { line, scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                line += "\\u{\(String(scalar.value, radix: 16))}"
            default: line.unicodeScalars.append(scalar)
            }
        }
        return unicodeScalars.count > 200 ? "\(line)…" : line
    }
}
