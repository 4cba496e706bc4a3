#if canImport(UIKit) && !os(watchOS)
    public import UIKit

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
