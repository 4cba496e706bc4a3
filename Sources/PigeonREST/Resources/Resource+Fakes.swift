internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension Resource {
    /// Returns a resource with a load that never completes, for previews and tests.
    ///
    /// - Parameter content: The content to show during the load.
    public static func fakeLoading(_ content: (any Sendable)? = nil) -> Resource {
        let resource = fakeResource()
        if let content { resource.overrideLocalContent(with: content) }
        resource.load()
        return resource
    }

    /// Returns a resource whose load has failed, and whose further loads fail too, for previews and tests.
    ///
    /// - Parameters:
    ///   - error: The error of the loads.
    ///   - content: The content from before the failure, which is still shown.
    public static func fakeFailure(_ error: RequestError, content: (any Sendable)? = nil) -> Resource {
        let resource = fakeResource(failing: error)
        if let content { resource.overrideLocalContent(with: content) }
        resource.load()
        return resource
    }

    /// Returns a resource that has been loaded and does not change, for previews and tests.
    public static func fake(_ content: any Sendable) -> Resource {
        let resource = fakeResource()
        resource.overrideLocalContent(with: content)
        return resource
    }

    /// Returns a resource with its own service and client, so that fakes share nothing with each other or with the
    /// program.
    private static func fakeResource(failing error: RequestError? = nil) -> Resource {
        let service = Service(baseURL: "https://fake.invalid", networking: SilentProvider(), client: QueryClient())
        service.configure {
            $0.expirationTime = .infinity
            guard let error else { return }
            $0.decorateRequests { _, _ in failedRequest(returning: error) }
        }
        return service.resource("/")
    }
}

extension TypedResource {
    /// Returns a resource with a load that never completes. See ``Resource/fakeLoading(_:)``.
    ///
    /// ```swift
    /// let previews: [TypedResource<User>] = [.fakeLoading(), .fakeFailure(error), .fake(ann)]
    /// ```
    public static func fakeLoading(_ content: T? = nil) -> TypedResource { Resource.fakeLoading(content).typed() }

    /// Returns a resource whose load has failed. See ``Resource/fakeFailure(_:content:)``.
    public static func fakeFailure(_ error: RequestError, content: T? = nil) -> TypedResource {
        Resource.fakeFailure(error, content: content).typed()
    }

    /// Returns a resource that has been loaded. See ``Resource/fake(_:)``.
    public static func fake(_ content: T) -> TypedResource { Resource.fake(content).typed() }
}

struct SilentProvider: NetworkingProvider {
    func startRequest(
        _ request: URLRequest, completion: @escaping RequestNetworkingCompletionCallback
    ) -> any RequestNetworking {
        Silence()
    }

    private struct Silence: RequestNetworking {
        let transferMetrics = RequestTransferMetrics()
        func cancel() {}
    }
}
