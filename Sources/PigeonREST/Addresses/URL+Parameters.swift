package import Foundation
internal import PigeonHTTP

extension URL {
    /// The address with some parameters set, and all sorted by name. Others stay as they are written.
    ///
    /// - Parameter values: `[]` removes a parameter, several values repeat it. `nil` is a parameter without "=", "" one
    ///   with nothing after it.
    package func withParams(_ values: [String: [String?]]) -> URL? {
        var parts = URLParts(self)
        var parameters = parts.parameters.filter { values[$0.name] == nil }
        for (name, values) in values { parameters += values.map { Parameter(name: name, value: $0) } }
        // Stable: what is repeated keeps its order.
        let sorted = parameters.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
        parts.query = sorted.isEmpty ? nil : sorted.map(\.element.text).joined(separator: "&")[...]
        return parts.url
    }

    /// The address with some parameters set, and all sorted by name. Others stay as they are written.
    ///
    /// - Parameter values: `nil` removes a parameter, "" is one without "=".
    package func withParams(_ values: [String: String?]) -> URL? {
        withParams(values.mapValues { value in value.map { [$0.isEmpty ? nil : $0] } ?? [] })
    }
}

/// One parameter of a query.
private struct Parameter {
    let name: String
    let text: String

    init(name: String, value: String?) {
        self.name = name
        let key = name.escaped(allowing: .queryItem)
        text = value.map { "\(key)=\($0.escaped(allowing: .queryItem))" } ?? key
    }

    init(text: Substring) {
        self.text = String(text)
        let name = text.prefix { $0 != "=" }
        self.name = name.removingPercentEncoding ?? String(name)
    }
}

extension URLParts {
    fileprivate var parameters: [Parameter] {
        (query ?? "").split(separator: "&").map(Parameter.init)
    }
}
