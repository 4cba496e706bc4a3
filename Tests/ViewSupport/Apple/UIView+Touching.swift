#if canImport(UIKit)
    package import UIKit

    // With stand-ins, their UIKit declares the same.

    extension UIView {
        /// All text that can be seen, in order.
        package var visibleText: [String] {
            guard !isHidden, alpha > 0 else { return [] }
            switch self {
            case let label as UILabel: return [label.text].compactMap { $0 }
            case let button as UIButton: return [button.currentTitle].compactMap { $0 }
            case let spinner as UIActivityIndicatorView: return spinner.isAnimating ? ["…"] : []
            default: return subviews.flatMap(\.visibleText)
            }
        }

        fileprivate var isHiddenOnScreen: Bool { isHidden || alpha == 0 || (superview?.isHiddenOnScreen ?? false) }
    }

    extension UIControl {
        /// What a finger does: nothing where the control cannot be touched.
        package func tap() {
            guard isEnabled, isUserInteractionEnabled, !isHiddenOnScreen else { return }
            // `sendActions(for:)` goes by the application, which a test of a package does not have.
            enumerateEventHandlers { action, _, events, _ in
                guard !events.isDisjoint(with: [.touchUpInside, .primaryActionTriggered]) else { return }
                action?.performWithSender(self, target: nil)
            }
        }
    }
#endif
