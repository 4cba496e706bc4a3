#if canImport(UIKit) && !os(watchOS)
    internal import PigeonBase
    internal import PigeonCore
    public import PigeonREST
    public import UIKit

    /// A view that covers another one while that has no content. It shows a spinner, or an error with a button to
    /// retry.
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
    /// The overlay watches a resource after a call of ``watch(_:)`` or of a publisher's `watchedBy(statusOverlay:)`, or
    /// if it is added to the resource as an observer. Only ``displayPriority`` decides what it shows. It starts no
    /// loads except retries.
    ///
    /// You can change or replace its views. A new view without a superview takes the position of the old one. A
    /// subclass can create another layout in ``makeViews()``, or change the presentation in ``show(_:)``.
    @MainActor
    open class ResourceStatusOverlay: UIView, nonisolated ResourceStatusObserving {
        /// Decides what to show, and also provides it as streams.
        public nonisolated let overlay = StatusOverlay()

        private var listening: QuerySubscription?
        private var shown = ResourceStatus.nothing
        package var announce: Announce = { Announcement.post($0) }

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
            // Changes arrive on any thread. The overlay shows the newest status instead of the one that it was notified
            // of.
            listening = overlay.onChange { [weak self] _ in MainActor.runSoon { self?.update() } }
        }

        private func update() {
            let (old, new) = (shown, overlay.status)
            shown = new
            show(new)
            // Otherwise, screen readers would read the covered views.
            accessibilityViewIsModal = superview.map { frame.contains($0.bounds) } ?? false
            if announcesLoads { announceEnd(from: old, to: new) }
        }

        /// Announces the end of a load or of an error that the overlay showed.
        private func announceEnd(from old: ResourceStatus, to new: ResourceStatus) {
            // A view below another page, or in another tab, is in no window.
            guard new != old, window != nil else { return }
            switch new {
            case .content where !old.isHidden: announce(UserText.loaded.text)
            case .failure(let error, _, _): announce(error.userMessage)
            case .content, .loading, .nothing: break
            }
        }

        /// True if the overlay announces to users of VoiceOver that a load that it showed has ended, or has failed. A refetch
        /// behind content that stays visible is not announced. True by default.
        open var announcesLoads = true

        // MARK: Views

        /// The container of all views.
        open var containerView: UIView? {
            didSet { containerView?.takePlace(of: oldValue, in: self) }
        }

        /// The view during a load. Animated if it is a `UIActivityIndicatorView`.
        open var loadingIndicator: UIView? {
            didSet { loadingIndicator?.takePlace(of: oldValue, in: containerView) }
        }

        /// The view after a failed load. Contains the following views.
        open var errorView: UIView? {
            didSet { errorView?.takePlace(of: oldValue, in: containerView) }
        }

        /// A headline that reports a problem. The overlay does not change its text.
        open var errorHeadline: UILabel? {
            didSet { errorHeadline?.takePlace(of: oldValue, in: errorView) }
        }

        /// A description of the problem: the error's `userMessage`.
        open var errorDetail: UILabel? {
            didSet { errorDetail?.takePlace(of: oldValue, in: errorView) }
        }

        /// A button that retries failed loads. Hidden if a retry is not possible.
        open var retryButton: UIButton? {
            didSet {
                oldValue?.removeAction(identifiedBy: Self.retrying, for: .primaryActionTriggered)
                retryButton?.takePlace(of: oldValue, in: errorView)
                let retry = UIAction(identifier: Self.retrying) { [weak self] _ in self?.retryFailedRequests() }
                retryButton?.addAction(retry, for: .primaryActionTriggered)
            }
        }

        private static let retrying = UIAction.Identifier("pigeon.retry")

        /// Creates the views. Called once, when the overlay is created, before the rest of a subclass's initializer
        /// runs.
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

        // MARK: Status

        /// The rules that decide what to show. The first rule that applies wins. By default, the overlay covers content
        /// while it is loaded again.
        public nonisolated var displayPriority: [StatusRule] {
            get { overlay.displayPriority }
            set { overlay.displayPriority = newValue }
        }

        /// Adds a resource whose status is shown. A resource that is added twice must be removed twice. Retains the
        /// resource.
        public nonisolated func watch(_ loadable: any Loadable) {
            overlay.watch(loadable)
        }

        /// Removes a resource. Does nothing if it is not watched.
        public nonisolated func unwatch(_ loadable: any Loadable) {
            overlay.unwatch(loadable)
        }

        /// Reloads all resources that have an error, and tracks the loads as manual ones.
        open func retryFailedRequests() {
            overlay.retryFailedRequests()
        }

        /// Treats a request as a load that the user started, until it completes. The rule `.manualLoading` shows such
        /// loads.
        public nonisolated func trackManualLoad(_ request: any Request) {
            overlay.trackManualLoad(request)
        }
    }

    extension ResourceStatusOverlay: ResourceObserver {
        /// Watches a resource when the overlay is added to it as an observer:
        /// `resource.addObserver(statusOverlay, owner: self)`.
        public func resourceChanged(_ resource: Resource, event: ResourceEvent) {
            if event == .observerAdded { watch(resource) }
        }

        /// Removes a resource that the overlay no longer observes.
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

    extension ResourceStatusOverlay {
        /// Covers the view of a controller, and follows its size.
        @discardableResult
        public func embed(in parentViewController: UIViewController) -> Self {
            guard let view = parentViewController.view else { return self }
            return embed(in: view)
        }

        /// Covers a view, in front of its subviews, and follows its size.
        ///
        /// In a scroll view, also call ``positionToCoverParent()`` from `viewDidLayoutSubviews()`.
        @discardableResult
        public func embed(in parent: UIView) -> Self {
            autoresizingMask = [.flexibleWidth, .flexibleHeight]
            parent.addSubview(self)
            positionToCoverParent()
            return self
        }

        /// Covers the visible part of the superview, in front of its other subviews.
        public func positionToCoverParent() {
            guard let superview else { return }
            frame = superview.bounds
            superview.bringSubviewToFront(self)
        }

        /// Covers a view of the same window.
        public func positionToCover(_ view: UIView) {
            positionToCover(view.bounds, inView: view)
        }

        /// Covers a part of a view of the same window.
        public func positionToCover(_ rect: CGRect, inView view: UIView) {
            guard let superview else { return }
            frame = superview.convert(rect, from: view)
        }
    }
#endif
