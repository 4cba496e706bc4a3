public import Foundation
internal import PigeonCore

extension Service {
    /// Configures the resources that match a pattern. Later configurations are applied after earlier ones.
    ///
    /// ```swift
    /// api.configure("**") { $0.expirationTime = 60 }  // all below the base URL
    /// api.configure("/search/**", requestMethods: [.get]) { $0.expirationTime = 5 }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: A glob (`*` within a segment, `**` across segments, `?` for one character) relative to the base URL
    ///     if there is one, an `NSRegularExpression` for a part of the whole URL, or a ``Resource``.
    ///   - requestMethods: The request methods. `nil` for all. Times are always those of GET.
    ///   - description: A description for logs.
    ///   - configurer: Changes the configuration. Called when the configuration is needed, on any thread.
    /// - Returns: A token with which ``removeConfiguration(_:)`` removes the change.
    @discardableResult
    public final func configure(
        _ pattern: any ConfigurationPatternConvertible, requestMethods: [RequestMethod]? = nil,
        description: String? = nil, configurer: @escaping @Sendable (inout Configuration) -> Void
    ) -> ConfigurationToken {
        add(
            matches: pattern.configurationPattern(for: self), requestMethods: requestMethods,
            description: description ?? pattern.configurationPatternDescription, configurer: configurer)
    }

    /// Configures the resources whose URLs satisfy a predicate.
    @discardableResult
    public final func configure(
        whenURLMatches predicate: @escaping @Sendable (URL) -> Bool, requestMethods: [RequestMethod]? = nil,
        description: String? = nil, configurer: @escaping @Sendable (inout Configuration) -> Void
    ) -> ConfigurationToken {
        add(
            matches: predicate, requestMethods: requestMethods, description: description ?? "a closure",
            configurer: configurer)
    }

    /// Configures all resources, including those of other servers.
    ///
    /// Headers and request mutations of this configuration apply only to the server of the base URL, so that a token is
    /// never sent to another server to which a response links. To configure only resources below the base URL, use the
    /// pattern `"**"`. For headers that may be sent to any server, use `whenURLMatches: { _ in true }`.
    @discardableResult
    public final func configure(
        requestMethods: [RequestMethod]? = nil, description: String? = nil,
        configurer: @escaping @Sendable (inout Configuration) -> Void
    ) -> ConfigurationToken {
        add(
            matches: { _ in true }, requestMethods: requestMethods, description: description ?? "all", isForAll: true,
            configurer: configurer)
    }

    /// Configures a transformer for the content of the resources that match a pattern.
    ///
    /// ```swift
    /// let api = Service(baseURL: "https://api.example.com", standardTransformers: [.text, .image])
    /// api.configureTransformer("/users/*") { try JSONDecoder().decode(User.self, from: $0.content) }
    /// ```
    ///
    /// The type of the closure's parameter decides the input type. In this example, it is the original body, which
    /// requires that ``StandardTransformer/json`` has not parsed it. ``configure(_:decoding:with:)`` works in both
    /// cases.
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the resources.
    ///   - requestMethods: The request methods. `nil` for all except HEAD and OPTIONS, whose responses have no content.
    ///   - stage: The stage of the pipeline.
    ///   - action: The treatment of the stage's existing transformers.
    ///   - mismatchAction: The action for content of a type other than the input type.
    ///   - emptyBodyAction: The action for an empty body, such as that of a 204 response.
    ///   - transformErrors: True if the content of errors is transformed too.
    ///   - description: A description for logs.
    ///   - contentTransform: Converts the content. A thrown error becomes the request's error, and `nil` becomes
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

    /// Removes a configuration.
    public final func removeConfiguration(_ token: ConfigurationToken) {
        let old = state.withLock { state in
            defer { state.entries.removeAll { $0.id == token.id } }
            renewConfiguration()
            return state.entries
        }
        _ = old  // released outside the lock
    }

    /// Discards all computed configurations, so that they are computed again when they are next needed. Call it when
    /// values change that the configurations depend on.
    ///
    /// Requests in flight keep their configurations.
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

    /// Logs a warning about times that are set only for methods other than GET, where they have no effect.
    private func warnOfTimes(in configurer: (inout Configuration) -> Void, _ description: String) {
        guard SiestaLog.Category.enabled.contains(.configuration) else { return }
        var configuration = Configuration()
        let before = configuration
        configurer(&configuration)
        guard configuration.expirationTime != before.expirationTime || configuration.retryTime != before.retryTime
        else { return }
        SiestaLog.log(.configuration, "\(description): expirationTime and retryTime count for GET only")
    }

    // MARK: Reading

    var configurationVersion: UInt64 { configurationNumber.value }

    /// Called under the lock.
    private func renewConfiguration() {
        configurationNumber.set(configurationNumber.value + 1)
    }

    func makeConfiguration(for url: URL, _ method: RequestMethod) -> (configuration: Configuration, version: UInt64) {
        let (entries, version, isReady) = state.withLock { ($0.entries, configurationVersion, $0.isReady) }
        if !isReady { becomeReady() }
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

    var allCaches: [StageCache] {
        state.withLock { $0.entries }.flatMap { entry in
            var configuration = Configuration()
            entry.configurer(&configuration)
            return configuration.pipeline.everyCache
        }
    }
}

extension Service {
    /// Configures the resources that match a pattern to decode their content from JSON. Replaces the transformers of
    /// the parsing and model stages.
    ///
    /// ```swift
    /// api.configure("/users/*", decoding: User.self)
    /// api.configure("/users", decoding: [User].self, with: decoder)
    /// ```
    ///
    /// Responses without a body, and errors, are not decoded. The content of an error is its body.
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the resources.
    ///   - type: The type of the content.
    ///   - decoder: The decoder. An error that it throws becomes the cause of the request's error.
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
