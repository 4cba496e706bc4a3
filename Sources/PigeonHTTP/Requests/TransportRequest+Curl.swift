#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

extension TransportRequest {
    /// Returns a shell command that sends the request, for a person to paste.
    ///
    /// bash, zsh, ksh and other shells that support `$'…'` read each word back unchanged. dash, older versions of POSIX
    /// shells and fish do not support that form, which is used for words with control characters, such as bodies of
    /// several lines: fish refuses the command, and the others send a text with escapes. None of them runs a part of
    /// the request as a command. The command is not meant for csh, PowerShell and the command prompt of Windows.
    ///
    /// Passwords, tokens, cookies and keys are left out, and so is the body, unless you show them. Secrets are
    /// recognized by their names, so check the text before you pass it on.
    ///
    /// - Parameter shown: The parts to show that are left out by default.
    public func curl(showing shown: Disclosure = []) -> String {
        var words = ["curl"]
        switch method {
        case .get where body == nil: break
        case .head: words += ["--head"]
        default: words += ["-X", methodName.shellQuoted]
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
        // Without it, curl would declare the body to be a form.
        if headers["Content-Type"] == nil { words += ["-H", "Content-Type:".shellQuoted] }
        return body.curl(words, showing: shown).joined(separator: " ")
    }
}

extension HTTPBody {
    /// The command with the body, if it can be shown.
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

    /// The size of the body.
    var summary: String {
        bytes.map { "\($0.count) bytes" } ?? "\(segments.count) pieces, files among them"
    }
}

extension String {
    /// One word for a shell, whatever it contains. Characters that a terminal would act on are escaped.
    ///
    /// A shell reads scalars, not characters: to it, a quote with an accent is a quote.
    fileprivate var shellQuoted: String {
        if utf8.allSatisfy(ASCIISet.shellWord.contains) { return isEmpty ? "''" : self }
        return unicodeScalars.contains(where: \.isControl) ? shellEscaped : shellLiteral
    }

    /// The text in single quotes, which contain neither a quote nor a backslash: fish reads `\'` within them as a
    /// quote.
    private var shellLiteral: String {
        var result = ""
        var isOpen = false
        for scalar in unicodeScalars {
            let needsQuotes = scalar != "'" && scalar != "\\"
            if needsQuotes != isOpen { result += "'" }
            isOpen = needsQuotes
            if !needsQuotes { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return isOpen ? result + "'" : result
    }

    /// The text as `$'…'`. A quote and a backslash are octal, so a shell that reads `'…'` here finds no other end of
    /// it.
    private var shellEscaped: String {
        let escaped = unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "'", "\\": result += String(scalar).utf8.map(\.octal).joined()
            case _ where scalar.isControl: result += String(scalar).utf8.map(\.octal).joined()
            default: result.unicodeScalars.append(scalar)
            }
        }
        return "$'\(escaped)'"
    }
}

extension UInt8 {
    /// An escape of three digits, so that a digit after it does not become part of it.
    fileprivate var octal: String { "\\\(self >> 6)\(self >> 3 & 7)\(self & 7)" }
}

extension Unicode.Scalar {
    /// True if a terminal may act on it.
    fileprivate var isControl: Bool { properties.generalCategory == .control }
}

extension URLRequest {
    /// Returns a shell command that sends the request, as ``TransportRequest/curl(showing:)`` describes it.
    ///
    /// - Returns: `nil` for a request without an address.
    public func curl(showing shown: Disclosure = []) -> String? {
        TransportRequest(self)?.curl(showing: shown)
    }
}

extension ServerProvider {
    /// Returns a shell command that sends a request, as ``TransportRequest/curl(showing:)`` describes it.
    ///
    /// - Throws: The errors of ``url(from:)`` and all others for which the request would not be sent.
    public func curl(of request: any Request, showing shown: Disclosure = []) throws -> String {
        do { return try transportRequest(from: request).curl(showing: shown) } catch { throw error.underlying }
    }
}

extension ResponseInterface {
    /// Returns a shell command that sends the request of this response again, as ``TransportRequest/curl(showing:)``
    /// describes it.
    public func curl(showing shown: Disclosure = []) -> String? {
        head.transportRequest?.curl(showing: shown)
    }
}

extension TransportRequest {
    /// A body that is a stream is left out, since it can be read only once.
    init?(_ request: URLRequest) {
        guard let url = request.url else { return nil }
        self.init(
            method: .get, url: url, headers: HTTPHeaders(request.allHTTPHeaderFields ?? [:]),
            body: request.httpBody.map(HTTPBody.data))
        if let name = request.httpMethod { methodName = name }
    }
}

extension ResponseHead {
    var transportRequest: TransportRequest? {
        switch self {
        case .transported(let request, _, _): request
        case .foundation(_, let request): TransportRequest(request)
        }
    }
}
