internal import Foundation
internal import PigeonBase
internal import PigeonCore

extension Resource {
    /// A type that the entry can be read as, and the change to the definition that makes this possible.
    struct Readable: Sendable {
        let type: ObjectIdentifier
        let amend: @Sendable (QueryDefinition<Entity<any Sendable>>) -> QueryDefinition<Entity<any Sendable>>
    }

    /// Makes the content readable as a type for observers that know only the entry's key.
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
        // The entry takes the changed definition.
        if old != nil { client.observe(definition.enabled(false)).cancel() }
    }
}

extension Resource {
    /// Returns the resource of a path below this one. A slash at the start of the path makes no difference.
    public func child(_ subpath: String) -> Resource {
        service.resource(absoluteURL: url.child(subpath), orWrong: subpath)
    }

    /// Returns the resource that a reference resolves to, relative to this one, like a link on a web page.
    public func relative(_ href: String) -> Resource {
        service.resource(absoluteURL: url.relative(href), orWrong: href)
    }

    /// Returns the resource that a reference resolves to, or `nil` if there is no reference.
    public func optionalRelative(_ href: String?) -> Resource? {
        href.map(relative)
    }

    /// Returns the resource with a query parameter set. `nil` removes the parameter.
    public func withParam(_ name: String, _ value: String?) -> Resource {
        withParams([name: value])
    }

    /// Returns the resource with query parameters set. `nil` removes a parameter.
    public func withParams(_ params: [String: String?]) -> Resource {
        service.resource(absoluteURL: url.withParams(params), orWrong: url)
    }

    /// Returns the resource with a query parameter repeated, once for each value. An empty array removes the parameter.
    ///
    /// An empty value is written as `name=`.
    public func withParam(_ name: String, values: [String]) -> Resource {
        service.resource(absoluteURL: url.withParams([name: values]), orWrong: url)
    }
}

// A `[String: Any]` is not `Sendable`, so Swift 6 does not accept it as `any Sendable`. These overloads accept it.
extension Resource {
    /// Replaces the content with a JSON object that the program has edited.
    ///
    /// ```swift
    /// var settings = resource.jsonDict
    /// settings["theme"] = "dark"
    /// resource.overrideLocalContent(with: settings)
    /// ```
    ///
    /// The object is copied. It can contain strings, numbers, Booleans, `NSNull`, objects and arrays, and also dates,
    /// data, URLs and UUIDs. A `nil` in it becomes an `NSNull`. A value of another type may not be safe to share
    /// between threads: it stops a debug build, and in a release build the resource stays unchanged. To show such
    /// values, pass a `[String: any Sendable]`.
    public func overrideLocalContent(with content: [String: Any]) {
        override(withJSON: content)
    }

    /// Replaces the content with a JSON array that the program has edited. The array is copied, and can contain the
    /// same values as an edited JSON object.
    public func overrideLocalContent(with content: [Any]) {
        override(withJSON: content)
    }

    /// Replaces the content with a dictionary.
    ///
    /// Without this overload, the compiler would treat a literal such as `["ann": ann]` as a `[String: Any]`.
    public func overrideLocalContent<Value: Sendable>(with content: [String: Value]) {
        overrideLocalContent(with: content as any Sendable)
    }

    /// Replaces the content with an array.
    ///
    /// Without this overload, the compiler would treat a literal such as `[ann, bob]` as an `[Any]`.
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
