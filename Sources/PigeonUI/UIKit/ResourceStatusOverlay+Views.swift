#if canImport(UIKit) && !os(watchOS)
    internal import UIKit

    extension ResourceStatusOverlay {
        /// Creates the default views: a centered spinner, and a centered column of two labels and a button.
        func makeStandardViews() {
            #if os(tvOS)
                backgroundColor = UIColor { @Sendable traits in traits.userInterfaceStyle == .light ? .white : .black }
            #else
                backgroundColor = .systemBackground
            #endif
            isHidden = true
            let content = UIStackView.column()
            containerView = content
            loadingIndicator = UIActivityIndicatorView.named(.large)
            errorView = UIStackView.column()
            errorHeadline = UILabel(text: UserText.notLoaded.text, style: .headline)
            errorDetail = UILabel(text: "", style: .body)
            let button = UIButton(type: .system)
            button.setTitle(UserText.retry.text, for: .normal)
            button.titleLabel?.font = .preferredFont(forTextStyle: .body)
            button.titleLabel?.adjustsFontForContentSizeCategory = true
            button.titleLabel?.numberOfLines = 0
            button.titleLabel?.textAlignment = .center
            retryButton = button
            content.center(in: self)
        }
    }

    extension UIView {
        /// Takes the position of another view, or is added to the end of a container if there was none. A view with a
        /// superview stays there.
        func takePlace(of old: UIView?, in container: UIView?) {
            guard old !== self else { return }
            if superview == nil { goIn(for: old, in: container) }
            old?.leave()
        }

        private func goIn(for old: UIView?, in container: UIView?) {
            if let old, let stack = old.superview as? UIStackView,
                let index = stack.arrangedSubviews.firstIndex(of: old)
            {
                stack.insertArrangedSubview(self, at: index)
            } else if let old, let superview = old.superview {
                (frame, autoresizingMask) = (old.frame, old.autoresizingMask)
                superview.insertSubview(self, aboveSubview: old)
            } else if let stack = container as? UIStackView {
                stack.addArrangedSubview(self)
            } else {
                container?.addSubview(self)
            }
        }

        private func leave() {
            (superview as? UIStackView)?.removeArrangedSubview(self)
            removeFromSuperview()
        }

        fileprivate func center(in view: UIView) {
            translatesAutoresizingMaskIntoConstraints = false
            let margins = view.layoutMarginsGuide
            NSLayoutConstraint.activate([
                centerXAnchor.constraint(equalTo: view.centerXAnchor),
                centerYAnchor.constraint(equalTo: view.centerYAnchor),
                leadingAnchor.constraint(greaterThanOrEqualTo: margins.leadingAnchor, constant: 0),
                trailingAnchor.constraint(lessThanOrEqualTo: margins.trailingAnchor, constant: 0),
            ])
        }
    }

    extension UIActivityIndicatorView {
        /// A spinner, which screen readers read as "Loading".
        static func named(_ style: Style) -> UIActivityIndicatorView {
            let indicator = UIActivityIndicatorView(style: style)
            indicator.accessibilityLabel = UserText.loading.text
            return indicator
        }
    }

    extension UIStackView {
        fileprivate static func column() -> UIStackView {
            let column = UIStackView()
            column.axis = .vertical
            column.alignment = .center
            column.spacing = 8
            return column
        }
    }

    extension UILabel {
        fileprivate convenience init(text: String, style: UIFont.TextStyle) {
            self.init(frame: .zero)
            self.text = text
            font = .preferredFont(forTextStyle: style)
            adjustsFontForContentSizeCategory = true
            textAlignment = .center
            numberOfLines = 0
        }
    }
#endif
