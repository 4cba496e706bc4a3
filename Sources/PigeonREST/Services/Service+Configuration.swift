public import Foundation
internal import PigeonCore

extension Service {
    /// Configures the resources that match a pattern. Later configurations change what earlier ones left.
    ///
    /// ```swift
    /// api.configure("**") { $0.expirationTime = 60 }  // all below the base URL
    /// api.configure("/search/**", requestMethods: [.get]) { $0.expirationTime = 5 }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: A glob (`*` within a segment, `**` across segments, `?` for one character) relative to the base URL
    ///     if there is one, an `NSRegularExpression` for a part of the whole URL, or a ``Resource``.
    ///   - requestMethods: For which requests; `nil` for all. Times are those of GET, whatever the method.
    ///   - description: For logs.
    ///   - configurer: Changes the configuration. Called when it is needed, on any thread.
    /// - Returns: What ``removeConfiguration(_:)`` takes the change back by.
    @discardableResult
    public final func configure(
        _ pattern: any ConfigurationPatternConvertible, requestMethods: [RequestMethod]? = nil,
        description: String? = nil, configurer: @escaping @Sendable (inout Configuration) -> Void
    ) -> ConfigurationToken {
        add(
            matches: pattern.configurationPattern(for: self), requestMethods: requestMethods,
            description: description ?? pattern.configurationPatternDescription, configurer: configurer)
    }

    /// Configures the resources whose URL a closure says.
    @discardableResult
    public final func configure(
        whenURLMatches predicate: @escaping @Sendable (URL) -> Bool, requestMethods: [RequestMethod]? = nil,
        description: String? = nil, configurer: @escaping @Sendable (inout Configuration) -> Void
    ) -> ConfigurationToken {
        add(
            matches: predicate, requestMethods: requestMethods, description: description ?? "a closure",
            configurer: configurer)
    }

    /// Configures all resources, also those of other servers.
    ///
    /// Headers and request mutations that are set here are not sent to other servers than that of the base URL: a token is
    /// not meant for whoever an answer links to. Write the pattern `"**"` for what is below the base URL only, and
    /// `whenURLMatches: { _ in true }` for headers that may go anywhere.
    @discardableResult
    public final func configure(
        requestMethods: [RequestMethod]? = nil, description: String? = nil,
        configurer: @escaping @Sendable (inout Configuration) -> Void
    ) -> ConfigurationToken {
        add(
            matches: { _ in true }, requestMethods: requestMethods, description: description ?? "all", isForAll: true,
            configurer: configurer)
    }

    /// Has the content of the resources that match a pattern made into something else.
    ///
    /// ```swift
    /// let api = Service(baseURL: "https://api.example.com", standardTransformers: [.text, .image])
    /// api.configureTransformer("/users/*") { try JSONDecoder().decode(User.self, from: $0.content) }
    /// ```
    ///
    /// The closure says what it takes: here the body as it came, which it is only while no ``StandardTransformer/json`` has
    /// parsed it. ``configure(_:decoding:with:)`` does not ask.
    ///
    /// - Parameters:
    ///   - pattern: Which resources.
    ///   - requestMethods: For which requests; `nil` for all but HEAD and OPTIONS, whose answers have no content.
    ///   - stage: Where in the pipeline.
    ///   - action: Whether what the stage did before is kept.
    ///   - mismatchAction: What to do with content of another type.
    ///   - emptyBodyAction: What to do with a body of no bytes, as answers with the status 204 have it.
    ///   - transformErrors: Whether the content of errors is made into something else too.
    ///   - description: For logs.
    ///   - contentTransform: Makes it. What it throws is the request's error; `nil` is
    ///     ``RequestError/Cause/TransformerReturnedNil``.
    @discardableResult
    public final func configureTransformer<I, O: Sendable>(
        _ pattern: any ConfigurationPatternConvertible, requestMethods: [RequestMethod]? = nil,
        atStage stage: PipelineStageKey = .model, action: PipelineStage.MutationAction = .replaceExisting,
        onInputTypeMismatch mismatchAction: ResponseContentTransformer<I, O>.InputTypeMismatchAction = .error,
        onEmptyBody emptyBodyAction: ResponseContentTransformer<I, O>.EmptyBodyAction = .skip,
        transformErrors: Bool = false, description: String? = nil,
        contentTransform: @escaping ResponseContentTransformer<I, O>.Processor
    ) -> ConfigurationToken {
        configure(
            pattern, requestMethods: requestMethods ?? [.get, .put, .post, .patch, .delete],
            description: description ?? "\(pattern.configurationPatternDescription) as \(O.self)"
        ) {
            if action == .replaceExisting { $0.pipeline[stage].removeTransformers() }
            $0.pipeline[stage].add(
                ResponseContentTransformer(
                    onInputTypeMismatch: mismatchAction, onEmptyBody: emptyBodyAction,
                    transformErrors: transformErrors, processor: contentTransform))
        }
    }

    /// Takes a configuration back.
    public final func removeConfiguration(_ token: ConfigurationToken) {
        let old = state.withLock { state in
            defer { state.entries.removeAll { $0.id == token.id } }
            renewConfiguration()
            return state.entries
        }
        _ = old  // let go outside of the lock
    }

    /// Has configurations made anew when they are needed next: call it when something changes that they depend on.
    ///
    /// Requests under way keep what they were made with.
    public final func invalidateConfiguration() {
        state.withLock { _ in renewConfiguration() }
        SiestaLog.log(.configuration, "configurations are made anew")
    }

    private func add(
        matches: @escaping @Sendable (URL) -> Bool, requestMethods: [RequestMethod]?, description: String,
        isForAll: Bool = false, configurer: @escaping @Sendable (inout Configuration) -> Void
    ) -> ConfigurationToken {
        if let requestMethods, !requestMethods.contains(.get) { warnOfTimes(in: configurer, description) }
        return state.withLock { state in
            state.nextEntryID += 1
            renewConfiguration()
            state.entries.append(
                ConfigurationEntry(
                    id: state.nextEntryID, description: description, matches: matches,
                    methods: requestMethods.map(Set.init), isForAll: isForAll, configurer: configurer))
            return ConfigurationToken(id: state.nextEntryID)
        }
    }

    /// Times that are set for other methods than GET alone have no effect.
    private func warnOfTimes(in configurer: (inout Configuration) -> Void, _ description: String) {
        guard SiestaLog.Category.enabled.contains(.configuration) else { return }
        var configuration = Configuration()
        let before = configuration
        configurer(&configuration)
        guard configuration.expirationTime != before.expirationTime || configuration.retryTime != before.retryTime
        else { return }
        SiestaLog.log(.configuration, "\(description): expirationTime and retryTime count for GET only")
    }

    // MARK: Asking

    var configurationVersion: UInt64 { configurationNumber.value }

    /// Called under the lock.
    private func renewConfiguration() {
        configurationNumber.set(configurationNumber.value + 1)
    }

    /// The configuration of an address, made anew, with the version it is of.
    func makeConfiguration(for url: URL, _ method: RequestMethod) -> (configuration: Configuration, version: UInt64) {
        let (entries, version) = state.withLock { ($0.entries, configurationVersion) }
        let isForeign = baseURL.map { !$0.hasSameOrigin(as: url) } ?? false
        var configuration = Configuration()
        for entry in entries where entry.methods?.contains(method) ?? true {
            guard entry.matches(url) else { continue }
            SiestaLog.log(.configuration, "\(entry.description) applies to \(method.httpName) \(url.nameForLogs)")
            let before = configuration
            entry.configurer(&configuration)
            if entry.isForAll, isForeign { configuration.takeWhatIsSent(from: before) }
        }
        return (configuration, version)
    }

    /// The caches that any configuration names.
    var allCaches: [StageCache] {
        state.withLock { $0.entries }.flatMap { entry in
            var configuration = Configuration()
            entry.configurer(&configuration)
            return configuration.pipeline.everyCache
        }
    }
}

extension Service {
    /// Has the content of the resources that match a pattern decoded from JSON, in place of what the pipeline makes of it.
    ///
    /// ```swift
    /// api.configure("/users/*", decoding: User.self)
    /// api.configure("/users", decoding: [User].self, with: decoder)
    /// ```
    ///
    /// Answers without a body are left as they are, and so are errors: their content is the body.
    ///
    /// - Parameters:
    ///   - pattern: Which resources.
    ///   - type: The type of the content.
    ///   - decoder: How to decode. What it throws is the cause of the request's error.
    @discardableResult
    public final func configure<Content: Decodable & Sendable>(
        _ pattern: any ConfigurationPatternConvertible, decoding type: Content.Type,
        with decoder: JSONDecoder = JSONDecoder()
    ) -> ConfigurationToken {
        configure(pattern, description: "\(pattern.configurationPatternDescription) decoded as \(Content.self)") {
            $0.pipeline[.parsing].removeTransformers()
            $0.pipeline[.model].removeTransformers()
            $0.pipeline[.model].add(ResponseContentTransformer(decoding: Content.self, with: decoder))
        }
    }
}
