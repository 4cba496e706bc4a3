internal import SwiftUI

#if canImport(UIKit)
    internal import UIKit

    typealias NativeView = UIView

    /// A window on a phone, also in a test without an application, where nothing may become the key window.
    @MainActor
    final class HostWindow<Root: View> {
        private let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
        private let controller: UIHostingController<Root>
        let view: UIView

        init(_ root: Root) {
            controller = UIHostingController(rootView: root)
            view = controller.view
            let parent = HostParent()
            parent.addChild(controller)
            parent.view.addSubview(view)
            controller.didMove(toParent: parent)
            window.rootViewController = parent
            window.isHidden = false
            view.frame = window.bounds
            controller.beginAppearanceTransition(true, animated: false)
            controller.endAppearanceTransition()
            layOut()
        }

        var root: Root {
            get { controller.rootView }
            set { controller.rootView = newValue }
        }

        /// Brings the views up to date now instead of with the next frame.
        func layOut() {
            view.setNeedsLayout()
            view.layoutIfNeeded()
        }

        func close() {
            controller.beginAppearanceTransition(false, animated: false)
            controller.endAppearanceTransition()
            window.isHidden = true
            window.rootViewController = nil
        }
    }

    /// Lets the window say that its views appear. Without an application, UIKit does not always say it.
    private final class HostParent: UIViewController {
        override var shouldAutomaticallyForwardAppearanceMethods: Bool { false }
    }
#else
    internal import AppKit

    typealias NativeView = NSView

    /// A window on a Mac that nobody sees. It lies on the screen, because SwiftUI may not draw for one elsewhere.
    @MainActor
    final class HostWindow<Root: View> {
        private let window: NSWindow
        private let host: NSHostingView<Root>
        var view: NSView { host }

        init(_ root: Root) {
            // A program that is no app has no windows until it says that it will.
            NSApplication.shared.setActivationPolicy(.accessory)
            host = NSHostingView(rootView: root)
            window = NSWindow(
                contentRect: NSRect(x: 0, y: 0, width: 320, height: 480), styleMask: .borderless, backing: .buffered,
                defer: false)
            window.isReleasedWhenClosed = false
            window.ignoresMouseEvents = true
            window.alphaValue = 0.01
            window.contentView = host
            window.orderFrontRegardless()
            layOut()
        }

        var root: Root {
            get { host.rootView }
            set { host.rootView = newValue }
        }

        /// Brings the views up to date now instead of with the next frame.
        func layOut() {
            host.needsLayout = true
            host.layoutSubtreeIfNeeded()
        }

        func close() {
            window.close()
        }
    }
#endif
