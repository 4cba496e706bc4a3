// Declarations that Siesta had already deprecated, or that no longer have a purpose. They let existing programs build,
// with a deprecation warning for each use.

extension Service {
    /// Creates a service with all standard transformers or none of them.
    @available(*, deprecated, message: "Write `standardTransformers: []` for none; all is the default.")
    public convenience init(
        baseURL: (any URLConvertible)? = nil, useDefaultTransformers: Bool,
        networking: any NetworkingProviderConvertible = Service.defaultNetworking
    ) {
        self.init(
            baseURL: baseURL, standardTransformers: useDefaultTransformers ? [.json, .text, .image] : [],
            networking: networking)
    }
}

extension Resource {
    /// Returns a request that has failed.
    @available(*, deprecated, renamed: "failedRequest(returning:)")
    public static func failedRequest(_ error: RequestError) -> any Request {
        failedRequest(returning: error)
    }
}

extension ResponseTransformer {
    /// Returns the response unchanged. The library itself logs the work of each transformer.
    @available(*, deprecated, message: "Return the response: what each transformer does is logged.")
    public func logTransformation(_ result: Response) -> Response { result }
}

/// The category of a log message.
@available(*, deprecated, renamed: "SiestaLog.Category")
public typealias LogCategory = SiestaLog.Category
