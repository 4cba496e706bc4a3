internal import Foundation

extension URL {
    /// The address without user, password, query and fragment, any of which may be a secret: fit for descriptions.
    package var plainDescription: String {
        let text = absoluteString
        // Some write a query into a path, where its mark is escaped.
        let whole = text[..<(text.range(of: "%3F")?.lowerBound ?? text.endIndex)].prefix { $0 != "?" && $0 != "#" }
        let start = whole.range(of: "://")?.upperBound ?? whole.startIndex
        let authority = whole[start...].prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return "\(whole[..<start])\(host)\(whole[authority.endIndex...])".printable
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
