#if canImport(UIKit) && !os(watchOS)
    internal import PigeonBase
    internal import PigeonCore
    public import PigeonREST
    public import UIKit

    /// Covers a view while there is nothing to show in it: with a spinner, or with an error and a button to try again.
    ///
    /// ```swift
    /// final class ProfileController: UIViewController {
    ///     let statusOverlay = ResourceStatusOverlay()
    ///
    ///     override func viewDidLoad() {
    ///         super.viewDidLoad()
    ///         statusOverlay.embed(in: self)
    ///         statusOverlay.watch(api.user("ann"))
    ///     }
    /// }
    /// ```
    ///
    /// Told what to watch by ``watch(_:)``, by `watchedBy(statusOverlay:)` of a publisher, or by being added to a resource as
    /// an observer. What it shows is decided by ``displayPriority``, and by that alone. Loads nothing but retries.
    ///
    /// Its views are there to be changed or replaced; one that is set without a superview goes where the one before was. A
    /// subclass may lay them out anew in ``makeViews()``, or show something else in ``show(_:)``.
    @MainActor
    open class ResourceStatusOverlay: UIView, nonisolated ResourceStatusObserving {
        /// Decides what is to be shown; has streams of that, too.
        public nonisolated let overlay = StatusOverlay()

        private var listening: QuerySubscription?

        /// Creates an overlay that is hidden until it watches something.
        public override init(frame: CGRect) {
            super.init(frame: frame)
            begin()
        }

        /// Creates an overlay from an archive or a storyboard. Views that are connected there replace those made here.
        public required init?(coder: NSCoder) {
            super.init(coder: coder)
            begin()
        }

        private func begin() {
            makeViews()
            // Wherever a change happens, the newest status is shown, and not the one that was told of.
            listening = overlay.onChange { [weak self] _ in MainActor.runSoon { self?.update() } }
        }

        private func update() {
            show(overlay.status)
        }

        // MARK: Views

        /// Holds all that is shown.
        open var containerView: UIView? {
            didSet { containerView?.takePlace(of: oldValue, in: self) }
        }

        /// Shown while something is loaded. Told to animate if it is a `UIActivityIndicatorView`.
        open var loadingIndicator: UIView? {
            didSet { loadingIndicator?.takePlace(of: oldValue, in: containerView) }
        }

        /// Shown when a load failed; holds what follows.
        open var errorView: UIView? {
            didSet { errorView?.takePlace(of: oldValue, in: containerView) }
        }

        /// Says that there is a problem. Its text is left as it is.
        open var errorHeadline: UILabel? {
            didSet { errorHeadline?.takePlace(of: oldValue, in: errorView) }
        }

        /// Says what the problem is: the error's `userMessage`.
        open var errorDetail: UILabel? {
            didSet { errorDetail?.takePlace(of: oldValue, in: errorView) }
        }

        /// Loads again what failed. Hidden where that cannot be done.
        open var retryButton: UIButton? {
            didSet {
                oldValue?.removeAction(identifiedBy: Self.retrying, for: .primaryActionTriggered)
                retryButton?.takePlace(of: oldValue, in: errorView)
                let retry = UIAction(identifier: Self.retrying) { [weak self] _ in self?.retryFailedRequests() }
                retryButton?.addAction(retry, for: .primaryActionTriggered)
            }
        }

        private static let retrying = UIAction.Identifier("pigeon.retry")

        /// Makes the views, once, when the overlay is made. Called before a subclass's initialiser goes on.
        open func makeViews() {
            makeStandardViews()
        }

        /// Shows a status. Called on each change.
        open func show(_ status: ResourceStatus) {
            isHidden = status.isHidden
            loadingIndicator?.setLoading(status == .loading)
            errorView?.isHidden = true
            guard case .failure(let error, _, let canRetry) = status else { return }
            errorView?.isHidden = false
            errorDetail?.text = error.userMessage
            retryButton?.isHidden = !canRetry
        }

        // MARK: What is shown

        /// The rules: the first that applies decides. By default content hides while it is loaded again.
        public nonisolated var displayPriority: [StatusRule] {
            get { overlay.displayPriority }
            set { overlay.displayPriority = newValue }
        }

        /// Shows the status of a resource as well. What is watched twice has to be let go twice. Keeps the resource.
        public nonisolated func watch(_ loadable: any Loadable) {
            overlay.watch(loadable)
        }

        /// Lets go of a resource. Does nothing when it is not watched.
        public nonisolated func unwatch(_ loadable: any Loadable) {
            overlay.unwatch(loadable)
        }

        /// Loads all resources again that have an error, and tracks the loads as manual ones.
        open func retryFailedRequests() {
            overlay.retryFailedRequests()
        }

        /// Counts a request as a load that a person asked for, until it is over: the rule `.manualLoading` shows those.
        public nonisolated func trackManualLoad(_ request: any Request) {
            overlay.trackManualLoad(request)
        }

        /// Counts a load as one that a person asked for, until it is over.
        public nonisolated func trackManualLoad(_ load: any ManualLoad) {
            overlay.trackManualLoad(load)
        }
    }

    extension ResourceStatusOverlay: ResourceObserver {
        /// Watches a resource that it begins to observe: `resource.addObserver(statusOverlay, owner: self)`.
        public func resourceChanged(_ resource: Resource, event: ResourceEvent) {
            if event == .observerAdded { watch(resource) }
        }

        /// Lets go of a resource that it no longer observes.
        public func stoppedObserving(resource: Resource) {
            unwatch(resource)
        }
    }

    extension UIView {
        fileprivate func setLoading(_ isLoading: Bool) {
            isHidden = !isLoading
            guard let spinner = self as? UIActivityIndicatorView else { return }
            if isLoading { spinner.startAnimating() } else { spinner.stopAnimating() }
        }
    }
#endif
