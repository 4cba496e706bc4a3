// Names that Siesta had deprecated, or that have nothing left to do: old programs build with them, and a warning each.

extension Service {
    /// Creates a service with all standard transformers, or with none.
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
    /// Returns the response as it is. The library itself logs what each transformer does.
    @available(*, deprecated, message: "Return the response: what each transformer does is logged.")
    public func logTransformation(_ result: Response) -> Response { result }
}

/// The category of a log message.
@available(*, deprecated, renamed: "SiestaLog.Category")
public typealias LogCategory = SiestaLog.Category
