internal import Foundation

extension Resource {
    /// A resource that is being loaded and never answers, for previews and tests.
    ///
    /// - Parameter content: What is there to be shown meanwhile.
    public static func fakeLoading(_ content: (any Sendable)? = nil) -> Resource {
        let resource = fakeResource()
        if let content { resource.overrideLocalContent(with: content) }
        resource.load()
        return resource
    }

    /// A resource whose load failed, and fails again, for previews and tests.
    ///
    /// - Parameter content: What was there before, and still is.
    public static func fakeFailure(_ error: RequestError, content: (any Sendable)? = nil) -> Resource {
        let resource = fakeResource(failing: error)
        if let content { resource.overrideLocalContent(with: content) }
        resource.load()
        return resource
    }

    /// A resource that was loaded and stays as it is, for previews and tests.
    public static func fake(_ content: any Sendable) -> Resource {
        let resource = fakeResource()
        resource.overrideLocalContent(with: content)
        return resource
    }

    /// Of a client and a service of its own, so that fakes share nothing with each other or the program.
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
    /// A resource that is being loaded and never answers. See ``Resource/fakeLoading(_:)``.
    ///
    /// ```swift
    /// let previews: [TypedResource<User>] = [.fakeLoading(), .fakeFailure(error), .fake(ann)]
    /// ```
    public static func fakeLoading(_ content: T? = nil) -> TypedResource { Resource.fakeLoading(content).typed() }

    /// A resource whose load failed. See ``Resource/fakeFailure(_:content:)``.
    public static func fakeFailure(_ error: RequestError, content: T? = nil) -> TypedResource {
        Resource.fakeFailure(error, content: content).typed()
    }

    /// A resource that was loaded. See ``Resource/fake(_:)``.
    public static func fake(_ content: T) -> TypedResource { Resource.fake(content).typed() }
}
