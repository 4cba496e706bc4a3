/// Something with an identity and a content.
struct Post: Codable, Identifiable, Equatable, Sendable {
    var id: Int
    var text: String

    init(_ id: Int, _ text: String) {
        self.id = id
        self.text = text
    }

    /// Posts that show their numbers.
    static func some(_ ids: ClosedRange<Int>) -> [Post] { ids.map { Post($0, "\($0)") } }
}

#if canImport(UIKit)
    import UIKit
    import ViewSupport

    @MainActor
    final class PostCell: UITableViewCell {
        var configured = 0

        var post: Post? {
            didSet {
                configured += 1
                textLabel?.text = post?.text
            }
        }
    }

    @MainActor
    final class PostItemCell: UICollectionViewCell {
        private let label = UILabel()
        var configured = 0

        func show(_ text: String) {
            configured += 1
            label.text = text
            contentView.addSubview(label)
        }
    }

    extension UITableView {
        /// The texts of the rows on screen.
        var texts: [String] {
            layoutIfNeeded()
            return visibleCells.flatMap(\.visibleText)
        }

        /// On screen: what happens there is animated.
        static func inWindow() -> (UITableView, UIWindow) {
            let table = UITableView(frame: CGRect(x: 0, y: 0, width: 320, height: 480), style: .plain)
            let window = UIWindow(frame: table.frame)
            window.addSubview(table)
            return (table, window)
        }
    }

    extension UICollectionView {
        /// The texts of the items on screen.
        var texts: [String] {
            layoutIfNeeded()
            return visibleCells.flatMap(\.visibleText)
        }
    }
#endif
