/// Stands for `UIKit.UIResponder`.
@MainActor
open class UIResponder: NSObject {
    /// Stands for `init()`.
    public override init() {
        super.init()
    }

    /// Stands for `UIResponder.next`.
    open var next: UIResponder? { nil }

    /// Stands for `becomeFirstResponder()`.
    @discardableResult
    open func becomeFirstResponder() -> Bool { true }

    /// Stands for `resignFirstResponder()`.
    @discardableResult
    open func resignFirstResponder() -> Bool { true }
}
