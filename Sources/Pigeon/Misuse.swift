import PigeonCore

/// Reports wrong uses of the library.
package enum Misuse {
    /// True in a test that makes a mistake on purpose.
    @TaskLocal package static var isExpected = false

    /// Reports a new request of a wrong type as an event, and fails loudly in debug builds.
    static func report<Request>(
        newRequest: any Sendable, expected: Request.Type, key: QueryKey, _ client: QueryClient
    ) {
        let text = "invalidated with a \(type(of: newRequest)) as its new request, but it is asked with \(expected)"
        client.reportMisuse(text, key: key)
        guard !isExpected else { return }
        assertionFailure("\(key) was \(text)")
    }
}
