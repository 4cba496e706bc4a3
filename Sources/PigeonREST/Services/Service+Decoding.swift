public import Foundation

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
