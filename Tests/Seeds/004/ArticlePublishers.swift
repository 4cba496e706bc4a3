// The block stands as it is.
// swift-format-ignore-file

import PigeonREST

// The article's second block: what there is, word for word, each function's body filled by a call of the library's. It is
// declared for types in a space of their own, since the library's own have it already.

enum Article {
    struct Resource {
        typealias ResourceState = Article.ResourceState

        var resource: PigeonREST.Resource
    }

    public struct ResourceState<T> {
        /// Resource.latestData?.typedContent(). If the resource produces content of a different type you get an error.
        public let content: T?
        public let latestError: RequestError?
        public let isLoading: Bool
        public let isRequesting: Bool
        public let latestEvent: ResourceEvent
    }
}

extension Article.Resource {
    public func contentPublisher<T>() -> AnyPublisher<T,Never> {
        resource.contentPublisher()
    }

    public func statePublisher<T>() -> AnyPublisher<ResourceState<T>,Never> {
        (resource.statePublisher() as AnyPublisher<PigeonREST.ResourceState<T>, Never>).map { state in
            Article.ResourceState(
                content: state.content, latestError: state.latestError, isLoading: state.isLoading,
                isRequesting: state.isRequesting, latestEvent: state.latestEvent)
        }
        .eraseToAnyPublisher()
    }
}
