#if canImport(UIKit) && !os(watchOS)
    public import PigeonREST
    public import UIKit

    /// Shows an image of a resource, whatever happens to that.
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
    /// An image in memory is shown within the assignment. In a cell that is used again the image before goes with its
    /// resource, whose load is cancelled unless somebody else observes it. Many views of one image share its load.
    @MainActor
    open class RemoteImageView: UIImageView {
        /// Where images come from that views are given the URL of. They are kept as long as the memory of its client
        /// allows.
        public static var defaultImageService = Service(standardTransformers: [.image])

        /// Where the images of this view come from, in place of ``defaultImageService``.
        open var imageService: Service?

        /// Shown while there is no image.
        open var placeholderImage: UIImage? {
            didSet { update() }
        }

        /// Shown in place of ``placeholderImage`` when the image could not be loaded.
        open var loadFailureImage: UIImage? {
            didSet { update() }
        }

        /// Changes each image before it is shown. Called with `nil` where there is neither an image nor one in its place.
        open var imageTransform: (UIImage?) -> UIImage? = { $0 } {
            didSet { update() }
        }

        /// Covers the view while there is nothing but a load. By default a spinner.
        open var loadingView: UIView? {
            get { spinner.view }
            set {
                spinner.view?.removeFromSuperview()
                spinner = .given(newValue)
                update()
            }
        }

        /// Covers the view when there is no image, and none is loaded.
        open var alternateView: UIView? {
            didSet {
                oldValue?.removeFromSuperview()
                update()
            }
        }

        /// The resource whose content is shown. Setting it loads it, unless it is up to date; setting what it is changes
        /// nothing.
        open var imageResource: Resource? {
            get { content.resource }
            set { content.resource = newValue }
        }

        /// The address of ``imageResource``, for which ``imageService`` or ``defaultImageService`` is asked.
        open var imageURL: String? {
            get { imageResource?.url.absoluteString }
            set {
                let service = imageService ?? Self.defaultImageService
                imageResource = newValue.map { service.resource(absoluteURL: $0) }
            }
        }

        // Made when it is needed, as is the spinner: all ways to make an image view are left as they are.
        private lazy var content: RemoteContent<UIImage> = {
            let content = RemoteContent<UIImage>()
            content.onChange = { [weak self] _ in self?.update() }
            return content
        }()
        private var spinner = Spinner.standard

        /// Shows what there is now. Called on each change.
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

    /// What covers an image view while it waits.
    @MainActor
    private enum Spinner {
        /// One that is made when it is first needed.
        case standard
        case given(UIView?)

        var view: UIView? {
            if case .given(let view) = self { view } else { nil }
        }
    }
#endif
