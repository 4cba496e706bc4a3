/// What the fetchers and mutations of a client need: an API, a session, a formatter.
///
/// The client is given them once, and definitions reach them through their contexts, so that no global is needed and
/// previews and tests can give others:
///
/// ```swift
/// let client = QueryClient(dependencies: Dependencies(api, session))
///
/// extension QueryDefinition where Value == User {
///     static func user(_ id: User.ID) -> Self {
///         QueryDefinition("users", id) { context in try await context[API.self].user(id) }
///     }
/// }
/// ```
///
/// A value is found by the type as which it was given. To give an implementation of a protocol, and to find it by the
/// protocol, name the protocol: `Dependencies(LiveAPI() as any API)`, `context[(any API).self]`. A type alias beside the
/// protocol makes both shorter:
///
/// ```swift
/// typealias Server = any ServerAPI
/// let client = QueryClient(dependencies: Dependencies(LiveServer() as Server))
/// let user = QueryDefinition<User>("users", 42) { context in try await context[Server.self].user(42) }
/// ```
public struct Dependencies: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// Creates a collection of values of different types. Of several values of one type, the last one counts.
    public init<each Value: Sendable>(_ value: repeat each Value) {
        repeat self[(each Value).self] = each value
    }

    /// The value of a type. `nil` if there is none.
    public subscript<Value: Sendable>(type: Value.Type) -> Value? {
        get { values[ObjectIdentifier(type)] as? Value }
        set { values[ObjectIdentifier(type)] = newValue }
    }

    /// - Throws: ``QueryError/missingDependency(type:of:given:)``.
    func required<Value: Sendable>(_ type: Value.Type, by user: String) throws -> Value {
        if let value = self[type] { return value }
        // Only a protocol is written with `any`, so a subclass that was given is not named.
        let fitting = type is AnyClass ? nil : values.values.first { $0 is Value }
        throw QueryError.missingDependency(
            type: String(describing: type), of: user, given: fitting.map { String(describing: Swift.type(of: $0)) })
    }
}
