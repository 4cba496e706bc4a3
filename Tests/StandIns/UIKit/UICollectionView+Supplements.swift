extension UICollectionView {
    /// Stands for `UICollectionView.elementKindSectionHeader`.
    public nonisolated class var elementKindSectionHeader: String { "UICollectionElementKindSectionHeader" }
    /// Stands for `UICollectionView.elementKindSectionFooter`.
    public nonisolated class var elementKindSectionFooter: String { "UICollectionElementKindSectionFooter" }

    /// Stands for `register(_:forSupplementaryViewOfKind:withReuseIdentifier:)`.
    public func register(
        _ viewClass: AnyClass?, forSupplementaryViewOfKind elementKind: String, withReuseIdentifier identifier: String
    ) {
        supplements.makers[[elementKind, identifier]] = viewClass as? UICollectionReusableView.Type
    }

    /// Stands for `dequeueReusableSupplementaryView(ofKind:withReuseIdentifier:for:)`.
    public func dequeueReusableSupplementaryView(
        ofKind elementKind: String, withReuseIdentifier identifier: String, for indexPath: IndexPath
    ) -> UICollectionReusableView {
        guard let viewClass = supplements.makers[[elementKind, identifier]] else {
            preconditionFailure("could not dequeue a view of kind \(elementKind) with identifier \(identifier)")
        }
        let view = viewClass.init(frame: .zero)
        view.identifier = identifier
        return view
    }

    /// Stands for `dequeueConfiguredReusableSupplementary(using:for:)`.
    public func dequeueConfiguredReusableSupplementary<Supplementary: UICollectionReusableView>(
        using registration: SupplementaryRegistration<Supplementary>, for indexPath: IndexPath
    ) -> Supplementary {
        let (kind, identifier) = (registration.elementKind, registration.identifier)
        register(Supplementary.self, forSupplementaryViewOfKind: kind, withReuseIdentifier: identifier)
        let view = dequeueReusableSupplementaryView(ofKind: kind, withReuseIdentifier: identifier, for: indexPath)
        guard let view = view as? Supplementary else { preconditionFailure("a view of another type is there") }
        registration.handler(view, kind, indexPath)
        return view
    }

    /// Stands for `supplementaryView(forElementKind:at:)`.
    public func supplementaryView(forElementKind kind: String, at indexPath: IndexPath) -> UICollectionReusableView? {
        supplements.views[kind]?[indexPath.section]
    }

    /// Asks for the views that the layout shows and that are not there yet.
    func addSupplements() {
        for kind in collectionViewLayout.supplementaryKinds {
            for section in 0..<numberOfSections where supplements.views[kind]?[section] == nil {
                guard let dataSource else { continue }
                let view = dataSource.collectionView(
                    self, viewForSupplementaryElementOfKind: kind, at: IndexPath(row: 0, section: section))
                supplements.views[kind, default: [:]][section] = view
                addSubview(view)
            }
        }
    }

    /// Stands for `UICollectionView.SupplementaryRegistration`.
    @MainActor
    public struct SupplementaryRegistration<Supplementary: UICollectionReusableView> {
        /// Stands for `SupplementaryRegistration.Handler`.
        public typealias Handler = (
            _ supplementaryView: Supplementary, _ elementKind: String, _ indexPath: IndexPath
        ) -> Void

        let identifier = UUID().uuidString
        let elementKind: String
        let handler: Handler

        /// Stands for `init(elementKind:handler:)`.
        public init(elementKind: String, handler: @escaping Handler) {
            self.elementKind = elementKind
            self.handler = handler
        }
    }
}

/// The supplementary views of a collection, by their kinds and the positions of their sections.
@MainActor
struct Supplements {
    var views: [String: [Int: UICollectionReusableView]] = [:]
    /// The classes that are registered for a kind and an identifier.
    var makers: [[String]: UICollectionReusableView.Type] = [:]

    /// Moves the views of sections that stay, and removes all others.
    mutating func move(to sections: [Int: Int]) {
        for (kind, old) in views {
            views[kind] = [:]
            for (section, view) in old {
                if let new = sections[section] { views[kind]?[new] = view } else { view.removeFromSuperview() }
            }
        }
    }
}
