#if canImport(UIKit) && !os(watchOS)
    internal import UIKit

    extension UIView {
        /// Retains an object until the view is released or retains another one. A list view does not retain its data
        /// source, and cannot show further rows after the data source is released.
        func keep(_ object: AnyObject) {
            objc_setAssociatedObject(self, &keptKey, object, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        }
    }

    nonisolated(unsafe) private var keptKey: UInt8 = 0  // only its address is used
#endif
