internal import Foundation
internal import PigeonBase
internal import PigeonCore

extension Resource {
    /// How the entry can be read as another type, as part of the definition.
    struct Readable: Sendable {
        let type: ObjectIdentifier
        let amend: @Sendable (QueryDefinition<Entity<any Sendable>>) -> QueryDefinition<Entity<any Sendable>>
    }

    /// Lets those who watch the entry by its key alone see the content as a type.
    func makeReadable<T: Sendable>(as type: T.Type) {
        let identity = ObjectIdentifier(type)
        let old = state.withLock { state -> QueryDefinition<Entity<any Sendable>>? in
            guard state.readable?.type != identity else { return nil }
            state.readable = Readable(type: identity) { definition in
                definition.readable(as: type) { entity, _ in ContentCast.cast(entity.content) }
            }
            defer { state.definition = nil }
            return state.definition
        }
        _ = old  // let go outside of the lock
    }
}

extension Resource {
    /// The resource of a path below this one. A slash at the start of the path makes no difference.
    public func child(_ subpath: String) -> Resource {
        service.resource(absoluteURL: url.child(subpath), orWrong: subpath)
    }

    /// The resource that a reference leads to from here, as a link on a web page does.
    public func relative(_ href: String) -> Resource {
        service.resource(absoluteURL: url.relative(href), orWrong: href)
    }

    /// The resource that a reference leads to, if there is one.
    public func optionalRelative(_ href: String?) -> Resource? {
        href.map(relative)
    }

    /// The resource with a query parameter set; `nil` removes it.
    public func withParam(_ name: String, _ value: String?) -> Resource {
        withParams([name: value])
    }

    /// The resource with query parameters set; `nil` removes one.
    public func withParams(_ params: [String: String?]) -> Resource {
        service.resource(absoluteURL: url.withParams(params), orWrong: url)
    }

    /// The resource with a query parameter repeated, once for each value; none removes it.
    ///
    /// An empty value is written as `name=`.
    public func withParam(_ name: String, values: [String]) -> Resource {
        service.resource(absoluteURL: url.withParams([name: values]), orWrong: url)
    }
}

// A `[String: Any]` is not `Sendable`, so that Swift 6 does not take it for `any Sendable`. These overloads do.
extension Resource {
    /// Shows a JSON object that the program has edited.
    ///
    /// ```swift
    /// var settings = resource.jsonDict
    /// settings["theme"] = "dark"
    /// resource.overrideLocalContent(with: settings)
    /// ```
    ///
    /// The object is copied. It may hold strings, numbers, Booleans, `NSNull`, objects and arrays, and also dates, data, URLs
    /// and UUIDs; a `nil` in it becomes an `NSNull`. A value of another type may not be safe to share between threads: it
    /// stops a debug build, and in a release build the resource stays as it is. Give a `[String: any Sendable]` to show
    /// such values.
    public func overrideLocalContent(with content: [String: Any]) {
        override(withJSON: content)
    }

    /// Shows a JSON array that the program has edited. It is copied, and may hold what an edited JSON object may hold.
    public func overrideLocalContent(with content: [Any]) {
        override(withJSON: content)
    }

    /// Shows a dictionary as content of the program's own.
    ///
    /// Without this function the compiler would take a literal such as `["ann": ann]` for a `[String: Any]`.
    public func overrideLocalContent<Value: Sendable>(with content: [String: Value]) {
        overrideLocalContent(with: content as any Sendable)
    }

    /// Shows an array as content of the program's own.
    ///
    /// Without this function the compiler would take a literal such as `[ann, bob]` for an `[Any]`.
    public func overrideLocalContent<Element: Sendable>(with content: [Element]) {
        overrideLocalContent(with: content as any Sendable)
    }

    private func override(withJSON content: Any) {
        if let content = JSONContent.sendable(content) { return overrideLocalContent(with: content) }
        let problem = "overridden with a dictionary or array that holds more than JSON: declare it `any Sendable`"
        SiestaLog.log(.stateChanges, "\(self): not \(problem)")
        assertionFailure("\(self) was \(problem)")
    }
}
