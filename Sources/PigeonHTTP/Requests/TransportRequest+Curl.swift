internal import Foundation

extension TransportRequest {
    /// The command that sends the request from a shell, for a person to paste.
    ///
    /// Passwords, tokens, cookies and keys are left out, and so is the body, unless shown. What they go by is guessed from
    /// names: look at it before you pass it on.
    ///
    /// - Parameter shown: What is not held back.
    public func curl(showing shown: Disclosure = []) -> String {
        var words = ["curl"]
        switch method {
        case .get where body == nil: break
        case .head: words += ["--head"]
        default: words += ["-X", method.rawValue]
        }
        let address = Redaction.address(url.absoluteString, showing: shown)
        if address.unicodeScalars.contains(where: "[]{}".unicodeScalars.contains) { words.append("--globoff") }
        if address.unicodeScalars.contains("/.".unicodeScalars) { words.append("--path-as-is") }
        words.append(address.shellQuoted)
        for field in headers {
            let value = Redaction.value(of: field, showing: shown)
            words += ["-H", (value.isEmpty ? "\(field.name);" : "\(field.name): \(value)").shellQuoted]
        }
        guard let body else { return words.joined(separator: " ") }
        // Else curl says that the body is a form.
        if headers["Content-Type"] == nil { words += ["-H", "Content-Type:".shellQuoted] }
        return body.curl(words, showing: shown).joined(separator: " ")
    }
}

extension HTTPBody {
    /// The command with the body, if it may be shown.
    fileprivate func curl(_ words: [String], showing shown: Disclosure) -> [String] {
        if segments.count == 1, case .file(let file) = segments[0] {
            return words + ["--data-binary", "@\(file.path)".shellQuoted]
        }
        guard let bytes, shown.contains(.body) else { return words + ["--data-raw", "<\(summary)>".shellQuoted] }
        guard let text = String(utf8: bytes), !text.utf8.contains(0) else {
            return ["echo", bytes.base64EncodedString().shellQuoted, "|", "base64", "-d", "|"] + words
                + ["--data-binary", "@-"]
        }
        return words + ["--data-raw", text.shellQuoted]
    }

    /// How much there is of it.
    var summary: String {
        bytes.map { "\($0.count) bytes" } ?? "\(segments.count) pieces, files among them"
    }
}

extension String {
    /// One word for a shell, whatever is in it. What a terminal would act on is written as an escape.
    ///
    /// A shell reads scalars, not characters: to it, a quote with an accent is a quote.
    fileprivate var shellQuoted: String {
        if !isEmpty, utf8.allSatisfy(ASCIISet.shellWord.contains) { return self }
        guard utf8.contains(where: \.isControl) else {
            return "'\(unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined())'"
        }
        let escaped = unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "'", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                // Three octal digits, so that a digit after it is not taken for one more.
                result +=
                    "\\" + String(repeating: "0", count: 3 - String(scalar.value, radix: 8).count)
                    + String(scalar.value, radix: 8)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return "$'\(escaped)'"
    }
}
