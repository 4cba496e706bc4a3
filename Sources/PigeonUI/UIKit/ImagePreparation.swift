#if canImport(UIKit) && !os(watchOS)
    internal import PigeonCore
    internal import PigeonREST
    internal import UIKit

    /// Makes images out of the content of resources, ready to be shown in a frame. They are entries of the client, below
    /// those of the resources.
    @MainActor
    final class ImagePreparation {
        private(set) var frame: PictureFrame?
        /// While an image of the same content is made for another frame, the previous image.
        private(set) var image: UIImage?
        /// True if the content is not an image.
        private(set) var hasFailed = false
        /// Called when the image is ready, or has failed.
        var onEnd: () -> Void = {}

        private weak var source: AnyObject?
        private var task: Task<Void, Never>?

        deinit { task?.cancel() }

        /// Prepares the image of a resource, unless that has begun or ended before.
        ///
        /// - Parameters:
        ///   - resource: A resource whose content is bytes or an image.
        ///   - scale: The number of pixels of a point.
        ///   - isShownAtOnce: True to show an image as it is. Bytes have to be decoded first.
        func prepare(_ resource: Resource, for frame: PictureFrame?, scale: CGFloat, isShownAtOnce: Bool) {
            guard let source = resource.contentIdentity else { return }
            guard source !== self.source || frame != self.frame else { return }
            if source !== self.source { (image, hasFailed) = (nil, false) }
            (self.source, self.frame) = (source, frame)
            task?.cancel()
            task = nil
            let client = resource.service.client
            let definition = Self.definition(source, below: resource.queryKey, for: frame, scale: scale)
            if let ready = client.value(of: definition), ready.source === source { return image = ready.image }
            if isShownAtOnce, let content: UIImage = resource.typedContent() { return image = content }
            task = Task { [weak self] in
                var ready = try? await client.fetch(definition)
                // The content has changed while, or since, the image was made.
                if ready?.source !== source { ready = try? await client.refetch(definition) }
                guard !Task.isCancelled, let self else { return }
                image = ready?.image
                hasFailed = ready == nil
                task = nil
                onEnd()
            }
        }

        /// Releases the content. Its image is no longer made, unless another view waits for it.
        func cancel() {
            task?.cancel()
            (task, source, image, hasFailed) = (nil, nil, nil, false)
        }

        private static func definition(
            _ source: AnyObject, below key: QueryKey, for frame: PictureFrame?, scale: CGFloat
        ) -> QueryDefinition<PreparedImage> {
            let image = PreparedImage(source)
            return QueryDefinition(key.picture(for: frame)) { _ in
                try await PictureQueue.run { try image.made(for: frame, scale: scale) }
            }
            .staleAfter(.never).whenAbandoned(.cancel).cost(\.cost)
        }
    }

    final class PreparedImage: @unchecked Sendable {  // `image` is set before others see it; weak loads are atomic
        private(set) weak var source: AnyObject?
        private(set) var image: UIImage?

        init(_ source: AnyObject) {
            self.source = source
        }

        /// In bytes.
        var cost: Int {
            guard let image else { return 0 }
            return Int(image.size.width * image.scale * image.size.height * image.scale) * 4
        }

        /// Decodes the image. Call it in ``PictureQueue``.
        func made(for frame: PictureFrame?, scale: CGFloat) throws -> PreparedImage {
            // The entry must not retain the content, which the client may have evicted since.
            switch (source as? PayloadOf<Entity<any Sendable>>)?.value.content {
            case let data as Data:
                let picture = try Picture.decoded(from: data, for: frame)
                image = UIImage(cgImage: picture.image, scale: scale, orientation: .up)
            case let content as UIImage:
                image = Self.prepared(content, for: frame, scale: scale)
            default: break
            }
            guard image != nil else { throw RequestError.Cause.UnparsableImage() }
            return self
        }

        private static func prepared(_ image: UIImage, for frame: PictureFrame?, scale: CGFloat) -> UIImage? {
            let (width, height) = (image.size.width * image.scale, image.size.height * image.scale)
            guard let side = frame?.largestSide(of: (Int(width), Int(height))), CGFloat(side) < max(width, height)
            else {
                return image.preparingForDisplay()
            }
            let share = CGFloat(side) / max(width, height) / scale
            return image.preparingThumbnail(of: CGSize(width: width * share, height: height * share))
        }
    }
#endif
