internal import PigeonBase

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
