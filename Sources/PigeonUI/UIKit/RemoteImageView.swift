#if canImport(UIKit) && !os(watchOS)
    public import PigeonREST
    public import UIKit

    /// An image view that shows the image of a resource in its current state.
    ///
    /// ```swift
    /// final class UserCell: UITableViewCell {
    ///     let avatar = RemoteImageView(frame: CGRect(x: 0, y: 0, width: 40, height: 40))
    ///
    ///     var user: User? {
    ///         didSet { avatar.imageURL = user?.avatarURL }
    ///     }
    /// }
    /// ```
    ///
    /// An image in memory is shown at once. When a cell is reused, the old image is removed with its resource, whose
    /// load is cancelled unless it has other observers. Views of the same image share its load.
    @MainActor
    open class RemoteImageView: UIImageView {
        /// The service that loads images by URL. Images stay in memory for as long as the budget of the service's
        /// client allows.
        public static var defaultImageService = Service(standardTransformers: [.image])

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
            set { content.resource = newValue }
        }

        /// The URL of ``imageResource``. Setting it takes the resource from ``imageService`` or
        /// ``defaultImageService``.
        open var imageURL: String? {
            get { imageResource?.url.absoluteString }
            set {
                let service = imageService ?? Self.defaultImageService
                imageResource = newValue.map { service.resource(absoluteURL: $0) }
            }
        }

        // Created when it is needed, as the spinner is, so that all initializers of the image view stay available.
        private lazy var content: RemoteContent<UIImage> = {
            let content = RemoteContent<UIImage>()
            content.onChange = { [weak self] _ in self?.update() }
            return content
        }()
        private var spinner = Spinner.standard

        /// Shows the current state. Called on each change.
        open func update() {
            switch content.shown {
            case .content(let image):
                show(image, over: nil)
            case .loading:
                if case .standard = spinner { spinner = .given(UIActivityIndicatorView(style: .medium)) }
                show(placeholderImage, over: loadingView)
            case .alternate:
                let hasFailed = imageResource?.latestError != nil
                show(hasFailed ? loadFailureImage ?? placeholderImage : placeholderImage, over: alternateView)
            }
        }

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

    /// The view that covers an image view during a load.
    @MainActor
    private enum Spinner {
        /// The default spinner, created when it is first needed.
        case standard
        case given(UIView?)

        var view: UIView? {
            if case .given(let view) = self { view } else { nil }
        }
    }
#endif
