#if canImport(SwiftUI)
    internal import Foundation
    internal import ImageIO
    internal import PigeonBase
    internal import PigeonCore
    internal import PigeonREST

    struct Picture: @unchecked Sendable {  // a CGImage does not change
        let image: CGImage

        /// In bytes.
        var cost: Int { image.bytesPerRow * image.height }
    }

    /// The pixels that a picture is shown in.
    struct PictureFrame: Hashable, Sendable {
        let width: Int
        let height: Int
        /// True if the picture covers the whole frame, so that only its larger side may be cut.
        let isFilled: Bool

        /// - Parameters:
        ///   - size: The size in points.
        ///   - scale: The number of pixels of a point.
        /// - Returns: `nil` for a frame without an area, as a view has before its layout.
        init?(_ size: CGSize, scale: CGFloat, isFilled: Bool) {
            guard size.width > 0, size.height > 0, size.width < 1e5, size.height < 1e5 else { return nil }
            (width, height) = (Self.step(size.width * scale), Self.step(size.height * scale))
            self.isFilled = isFilled
        }

        /// Rounds up in steps, so that a frame that grows in an animation does not decode a picture for each of its sizes.
        private static func step(_ pixels: CGFloat) -> Int { Int((pixels / 32).rounded(.up)) * 32 }

        /// The larger side of the picture that this frame needs, of one with a size. Never larger than the picture.
        func largestSide(of picture: (width: Int, height: Int)) -> Int {
            let horizontal = Double(width) / Double(max(1, picture.width))
            let vertical = Double(height) / Double(max(1, picture.height))
            let scale = isFilled ? max(horizontal, vertical) : min(horizontal, vertical)
            return max(1, Int((Double(max(picture.width, picture.height)) * min(1, scale)).rounded(.up)))
        }
    }

    extension Picture {
        /// Decodes a picture, no larger than a frame needs it. Call it in ``PictureQueue``.
        ///
        /// - Parameter frame: The frame. `nil` for the picture's full size.
        /// - Throws: `UnparsableImage` for bytes that are not a picture.
        static func decoded(from data: Data, for frame: PictureFrame?) throws -> Picture {
            let unread = NSDictionary(dictionary: [kCGImageSourceShouldCache: false])
            guard let source = CGImageSourceCreateWithData(NSData(data: data) as CFData, unread as CFDictionary),
                let size = size(of: source)
            else { throw RequestError.Cause.UnparsableImage() }
            let options = NSDictionary(dictionary: [
                kCGImageSourceCreateThumbnailFromImageAlways: true,
                kCGImageSourceCreateThumbnailWithTransform: true,
                // Decodes now. Otherwise the picture would be decoded when it is first drawn, on the main thread.
                kCGImageSourceShouldCacheImmediately: true,
                kCGImageSourceThumbnailMaxPixelSize: frame?.largestSide(of: size) ?? max(size.width, size.height),
            ])
            guard let image = CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary) else {
                throw RequestError.Cause.UnparsableImage()
            }
            return Picture(image: image)
        }

        /// The size of a picture in pixels, as it is shown.
        private static func size(of source: CGImageSource) -> (width: Int, height: Int)? {
            guard let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as NSDictionary?,
                let width = (properties[kCGImagePropertyPixelWidth] as? NSNumber)?.intValue,
                let height = (properties[kCGImagePropertyPixelHeight] as? NSNumber)?.intValue
            else { return nil }
            // From 5 on, the picture lies on its side.
            let orientation = (properties[kCGImagePropertyOrientation] as? NSNumber)?.intValue ?? 1
            return orientation < 5 ? (width, height) : (height, width)
        }
    }

    /// Decodes pictures, a few at a time.
    ///
    /// Tasks would not do: one that begins on the main thread stays there until it first suspends, which it never does
    /// if the bytes are in memory. And decoding takes long enough to keep all threads of other tasks busy.
    enum PictureQueue {
        private static let queue: OperationQueue = {
            let queue = OperationQueue()
            queue.name = "Pigeon.pictures"
            queue.maxConcurrentOperationCount = 2
            queue.qualityOfService = .userInitiated
            return queue
        }()

        /// Throws without running the function if the task has been cancelled.
        static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
            let isCancelled = Locked(false)
            return try await withCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    queue.addOperation {
                        continuation.resume(
                            with: Swift.Result {
                                if isCancelled.withLock({ $0 }) { throw CancellationError() }
                                return try work()
                            })
                    }
                }
            } onCancel: {
                isCancelled.withLock { $0 = true }
            }
        }
    }

    extension QueryKey {
        /// The key of the picture that is made of the content at this key.
        ///
        /// - Parameter frame: The frame. `nil` for the picture's full size.
        func picture(for frame: PictureFrame?) -> QueryKey {
            appending("picture").appending(frame?.width ?? 0).appending(frame?.height ?? 0)
                .appending(frame?.isFilled == true ? "filled" : "fitted")
        }
    }

    extension QueryDefinition where Value == Picture {
        /// The picture of bytes, as a frame needs it. An entry below that of the bytes, as fresh as they are.
        static func picture(of bytes: QueryDefinition<Data>, for frame: PictureFrame) -> Self {
            var definition = QueryDefinition(bytes.key.picture(for: frame)) { context in
                let data = try await context.fetch(bytes, context.isOnline ? nil : .staleWhileRevalidate())
                if let freshness = context.freshness(of: bytes) { context.isFresh(for: freshness) }
                return try await PictureQueue.run { try Picture.decoded(from: data, for: frame) }
            }
            definition.overrides = bytes.overrides
            // Decoding needs no network. Without one, cached bytes of any age are shown.
            definition = definition.networkMode(.always)
            // While a view changes its size, it shows the picture of the last size.
            return definition.retry(.never).whenAbandoned(.cancel).cost(\.cost).placeholder(from: { $0 })
        }
    }
#endif
