#if canImport(UIKit) && !os(watchOS)
    public import Foundation
    internal import PigeonBase
    public import PigeonREST
    public import UIKit

    /// An image view that shows the image of a resource in its current state.
    ///
    /// ```swift
    /// final class UserCell: UITableViewCell {
    ///     let avatar = RemoteImageView(frame: CGRect(x: 0, y: 0, width: 40, height: 40))
    ///
    ///     var user: User? {
    ///         didSet { avatar.url = user?.avatarURL }
    ///     }
    /// }
    /// ```
    ///
    /// An image in memory is shown at once. When a cell is reused, the old image is removed with its resource, whose
    /// load is cancelled unless it has other observers. Views of the same image share its load, and views of the same size
    /// its pixels.
    ///
    /// Images are decoded in the size of the view, and never on the main thread. A view without a size, and one whose
    /// `contentMode` does not scale, decodes the image in full size. If the service's pipeline makes a `UIImage`, that is
    /// prepared for display in the same way, unless it is in memory when the resource is set.
    @MainActor
    open class RemoteImageView: UIImageView {
        /// The service that loads images by URL. Its resources have the bytes of the images. They stay in memory for as long
        /// as the budget of the service's client allows, and so do decoded images.
        public static var defaultImageService = Service(standardTransformers: [])

        /// The service that loads the images of this view. `nil` for ``defaultImageService``.
        open var imageService: Service?

        /// The image to show while there is no other image.
        open var placeholderImage: UIImage? {
            didSet { update() }
        }

        /// The image to show instead of ``placeholderImage`` if the image could not be loaded.
        open var loadFailureImage: UIImage? {
            didSet { update() }
        }

        /// Transforms each image before it is shown. Called with `nil` if there is neither an image nor a placeholder.
        open var imageTransform: (UIImage?) -> UIImage? = { $0 } {
            didSet { update() }
        }

        /// A view that covers the image view during a load without an image. By default a spinner.
        open var loadingView: UIView? {
            get { spinner.view }
            set {
                spinner.view?.removeFromSuperview()
                spinner = .given(newValue)
                update()
            }
        }

        /// A view that covers the image view if there is no image and none is being loaded.
        open var alternateView: UIView? {
            didSet {
                oldValue?.removeFromSuperview()
                update()
            }
        }

        /// The resource whose image is shown. Setting it loads the resource, unless it is up to date. Setting the same
        /// resource again does nothing.
        open var imageResource: Resource? {
            get { content.resource }
            set {
                isSetting = true
                defer { isSetting = false }
                content.resource = newValue
            }
        }

        /// The URL of ``imageResource``. Setting it takes the resource from ``imageService`` or
        /// ``defaultImageService``.
        open var url: URL? {
            get { imageResource?.url }
            set { imageURL = newValue?.absoluteString }
        }

        /// The text of ``url``.
        open var imageURL: String? {
            get { imageResource?.url.absoluteString }
            set {
                let service = imageService ?? Self.defaultImageService
                imageResource = newValue.map { service.resource(absoluteURL: $0) }
            }
        }

        // Created when it is needed, as the spinner is, so that all initializers of the image view stay available.
        private lazy var content: RemoteContent<any Sendable> = {
            let content = RemoteContent<any Sendable>()
            content.onChange = { [weak self] _ in self?.update() }
            return content
        }()
        private lazy var preparation: ImagePreparation = {
            let preparation = ImagePreparation()
            preparation.onEnd = { [weak self] in self?.update() }
            return preparation
        }()
        private var spinner = Spinner.standard
        /// True while the resource is being set.
        private var isSetting = false

        /// Shows the current state. Called on each change.
        open func update() {
            switch shown {
            case .content(let image):
                show(image, over: nil)
            case .loading:
                if case .standard = spinner { spinner = .given(UIActivityIndicatorView.named(.medium)) }
                show(placeholderImage, over: loadingView)
            case .alternate:
                let hasFailed = imageResource?.latestError != nil || isUndecodable
                show(hasFailed ? loadFailureImage ?? placeholderImage : placeholderImage, over: alternateView)
            }
        }

        /// Decodes the image again if the view has another size.
        open override func layoutSubviews() {
            super.layoutSubviews()
            if case .content = content.shown, preparation.frame != frameOfPixels { update() }
        }

        private var shown: RemoteContent<UIImage>.Shown {
            if case .content = content.shown { return prepared }
            preparation.cancel()
            if case .loading = content.shown { return .loading }
            return .alternate
        }

        private var isUndecodable: Bool {
            if case .content = content.shown { preparation.hasFailed } else { false }
        }

        private var prepared: RemoteContent<UIImage>.Shown {
            guard let imageResource else { return .alternate }
            preparation.prepare(imageResource, for: frameOfPixels, scale: scale, isShownAtOnce: isSetting)
            return preparation.hasFailed ? .alternate : preparation.image.map { .content($0) } ?? .loading
        }

        /// The pixels that the view has for an image. `nil` if it shows images in their own size.
        private var frameOfPixels: PictureFrame? {
            switch contentMode {
            case .scaleAspectFit: PictureFrame(bounds.size, scale: scale, isFilled: false)
            case .scaleAspectFill, .scaleToFill: PictureFrame(bounds.size, scale: scale, isFilled: true)
            default: nil
            }
        }

        private var scale: CGFloat { max(1, traitCollection.displayScale) }

        private func show(_ image: UIImage?, over cover: UIView?) {
            self.image = imageTransform(image)
            for view in [loadingView, alternateView] where view !== cover { view?.removeFromSuperview() }
            guard let cover else { return }
            if cover.superview !== self {
                cover.frame = bounds
                cover.autoresizingMask = [.flexibleWidth, .flexibleHeight]
                addSubview(cover)
            }
            cover.isHidden = false
            (cover as? UIActivityIndicatorView)?.startAnimating()
        }
    }

    @MainActor
    private enum Spinner {
        case standard
        case given(UIView?)

        var view: UIView? {
            if case .given(let view) = self { view } else { nil }
        }
    }
#endif
