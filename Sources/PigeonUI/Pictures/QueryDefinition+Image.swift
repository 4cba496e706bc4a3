#if canImport(SwiftUI)
    public import Foundation
    public import PigeonCore
    internal import PigeonHTTP

    extension QueryDefinition where Value == Data {
        /// The bytes of an image at a URL, as ``RemoteImage`` and ``RemoteImageView`` load them: fresh for as long as the
        /// server says, else for an hour, and cancelled when no view needs them any more. Tagged `images`.
        ///
        /// ```swift
        /// client.invalidate(.path(of: .image(at: url)))    // the image, in all sizes
        /// ```
        ///
        /// Modify it to load images in another way: `RemoteImage(.image(at: url).persisted())`.
        public static func image(at url: URL) -> Self {
            QueryDefinition(QueryKey("images", url.absoluteString)) { context in
                // The empty path is the URL itself.
                let dispatcher = NetworkDispatcher(baseURL: url, transport: ImageTransport.shared)
                return try await dispatcher.data(from: .get(""), for: context)
            }
            .staleAfter(.hours(1))
            .retry(.standard)
            .whenAbandoned(.cancel)
            .tagged("images")
        }
    }

    /// One connection pool for the images of all servers.
    private enum ImageTransport {
        static let shared = URLSessionTransport()
    }
#endif
