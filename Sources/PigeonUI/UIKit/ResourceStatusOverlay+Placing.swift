#if canImport(UIKit) && !os(watchOS)
    public import UIKit

    extension ResourceStatusOverlay {
        /// Covers the view of a controller, and stays as large as it.
        @discardableResult
        public func embed(in parentViewController: UIViewController) -> Self {
            guard let view = parentViewController.view else { return self }
            return embed(in: view)
        }

        /// Covers a view, in front of what is in it, and stays as large as it.
        ///
        /// In a view that scrolls, call ``positionToCoverParent()`` from `viewDidLayoutSubviews()` as well.
        @discardableResult
        public func embed(in parent: UIView) -> Self {
            autoresizingMask = [.flexibleWidth, .flexibleHeight]
            parent.addSubview(self)
            positionToCoverParent()
            return self
        }

        /// Covers what is seen of the superview, in front of what else is in it.
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
