#if canImport(UIKit) && !os(watchOS)
    internal import UIKit

    extension UIView {
        /// Keeps an object until the view goes, or is given another. A list view does not keep its data source, and one
        /// that loses it while rows are on screen cannot show the next.
        func keep(_ object: AnyObject) {
            objc_setAssociatedObject(self, &keptKey, object, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        }
    }

    nonisolated(unsafe) private var keptKey: UInt8 = 0  // nothing but its address is used
#endif
