/// Stands for `UIKit.UICollectionViewDataSource`. What the real one has as optional has a default here.
@MainActor
public protocol UICollectionViewDataSource: NSObjectProtocol {
    /// Stands for `collectionView(_:numberOfItemsInSection:)`.
    func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int
    /// Stands for `collectionView(_:cellForItemAt:)`.
    func collectionView(
        _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell
    /// Stands for `numberOfSections(in:)`.
    func numberOfSections(in collectionView: UICollectionView) -> Int
    /// Stands for `collectionView(_:viewForSupplementaryElementOfKind:at:)`.
    func collectionView(
        _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
    ) -> UICollectionReusableView
}

extension UICollectionViewDataSource {
    /// Stands for an optional requirement that is not there.
    public func numberOfSections(in collectionView: UICollectionView) -> Int { 1 }
    /// Stands for an optional requirement that is not there, which a layout with headers must not ask for.
    public func collectionView(
        _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
    ) -> UICollectionReusableView {
        preconditionFailure("the layout has supplementary views, and the data source none")
    }
}

/// Stands for `UIKit.UICollectionViewDelegate`. What the real one has as optional has a default here.
@MainActor
public protocol UICollectionViewDelegate: UIScrollViewDelegate {
    /// Stands for `collectionView(_:didSelectItemAt:)`.
    func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath)
}

extension UICollectionViewDelegate {
    /// Stands for an optional requirement that is not there.
    public func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath) {}
}

/// Stands for `UIKit.UICollectionView`.
///
/// Shows a dozen items, or as many as a test says, once it is laid out.
@MainActor
open class UICollectionView: UIScrollView {
    /// Stands for `init(frame:collectionViewLayout:)`.
    public init(frame: CGRect, collectionViewLayout layout: UICollectionViewLayout) {
        collectionViewLayout = layout
        super.init(frame: frame)
    }

    /// Stands for `init?(coder:)`.
    public required init?(coder: NSCoder) {
        collectionViewLayout = UICollectionViewFlowLayout()
        super.init(coder: coder)
    }

    /// Stands for `UICollectionView.collectionViewLayout`.
    open var collectionViewLayout: UICollectionViewLayout
    /// Stands for `UICollectionView.dataSource`.
    open weak var dataSource: (any UICollectionViewDataSource)? {
        didSet { reloadData() }
    }

    /// Stands for `UICollectionView.delegate`.
    open weak var delegate: (any UICollectionViewDelegate)?
    /// Stands for `UICollectionView.backgroundView`.
    open var backgroundView: UIView?

    let store = CellStore<UICollectionViewCell>()
    /// The supplementary views on screen.
    var supplements = Supplements()
    private var viewport = Viewport()
    private var makers: [String: UICollectionViewCell.Type] = [:]
    private var counts: [Int]?

    // MARK: Cells

    /// Stands for `register(_:forCellWithReuseIdentifier:)`.
    open func register(_ cellClass: AnyClass?, forCellWithReuseIdentifier identifier: String) {
        makers[identifier] = cellClass as? UICollectionViewCell.Type
    }

    /// Stands for `dequeueReusableCell(withReuseIdentifier:for:)`.
    open func dequeueReusableCell(
        withReuseIdentifier identifier: String, for indexPath: IndexPath
    ) -> UICollectionViewCell {
        if let cell = store.reconfigured.removeValue(forKey: indexPath) { return cell }
        if let cell = store.reuse(identifier) {
            cell.prepareForReuse()
            return cell
        }
        guard let cellClass = makers[identifier] else {
            preconditionFailure("could not dequeue a view with identifier \(identifier): it is not registered")
        }
        let cell = cellClass.init(frame: .zero)
        cell.identifier = identifier
        return cell
    }

    /// Stands for `dequeueConfiguredReusableCell(using:for:item:)`.
    open func dequeueConfiguredReusableCell<Cell: UICollectionViewCell, Item>(
        using registration: CellRegistration<Cell, Item>, for indexPath: IndexPath, item: Item?
    ) -> Cell {
        register(Cell.self, forCellWithReuseIdentifier: registration.identifier)
        guard let cell = dequeueReusableCell(withReuseIdentifier: registration.identifier, for: indexPath) as? Cell
        else { preconditionFailure("a cell of another type is there") }
        if let item { registration.handler(cell, indexPath, item) }
        return cell
    }

    /// Stands for `cellForItem(at:)`.
    open func cellForItem(at indexPath: IndexPath) -> UICollectionViewCell? { store.cells[indexPath] }
    /// Stands for `UICollectionView.visibleCells`, in order here.
    open var visibleCells: [UICollectionViewCell] {
        store.cells.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Stands for `UICollectionView.indexPathsForVisibleItems`.
    open var indexPathsForVisibleItems: [IndexPath] { store.cells.keys.sorted() }

    // MARK: Items

    /// Stands for `UICollectionView.numberOfSections`.
    open var numberOfSections: Int { knownCounts.count }
    /// Stands for `numberOfItems(inSection:)`.
    open func numberOfItems(inSection section: Int) -> Int { knownCounts[section] }

    private var knownCounts: [Int] {
        if let counts { return counts }
        guard let dataSource else { return [] }
        let new = (0..<dataSource.numberOfSections(in: self)).map {
            dataSource.collectionView(self, numberOfItemsInSection: $0)
        }
        counts = new
        return new
    }

    /// Stands for `reloadData()`.
    open func reloadData() {
        show([:], sections: [:])
    }

    /// Keeps on screen what is the same as before, at its new place.
    ///
    /// - Parameter sections: The new positions of the sections that stay and are not reloaded.
    func show(_ kept: [IndexPath: UICollectionViewCell], sections: [Int: Int]) {
        supplements.move(to: sections)
        for cell in store.cells.values where !kept.values.contains(cell) { store.keep(cell, cell.reuseIdentifier) }
        store.cells = kept
        counts = nil
        setNeedsLayout()
    }

    /// Stands for `layoutSubviews()`: asks for the cells of the items on screen.
    open override func layoutSubviews() {
        super.layoutSubviews()
        let shown = viewport.indexPaths(of: knownCounts)
        for (place, cell) in store.cells where !shown.contains(place) {
            store.keep(cell, cell.reuseIdentifier)
            store.cells[place] = nil
        }
        for place in shown where store.cells[place] == nil {
            guard let dataSource else {
                preconditionFailure("the data source is gone, and an item is to be shown")
            }
            let cell = dataSource.collectionView(self, cellForItemAt: place)
            store.cells[place] = cell
            addSubview(cell)
        }
        addSupplements()
    }

    /// How many items are on screen at a time.
    package var itemsOnScreen: Int {
        get { viewport.count }
        set {
            viewport.count = newValue
            setNeedsLayout()
        }
    }

    /// Scrolls by so many items.
    package func scrollDown(by items: Int) {
        viewport.first = max(0, viewport.first + items)
        setNeedsLayout()
        layoutIfNeeded()
    }
}

extension UICollectionView {
    /// Stands for `UICollectionView.CellRegistration`.
    @MainActor
    public struct CellRegistration<Cell: UICollectionViewCell, Item> {
        /// Stands for `CellRegistration.Handler`.
        public typealias Handler = (_ cell: Cell, _ indexPath: IndexPath, _ itemIdentifier: Item) -> Void

        let identifier = UUID().uuidString
        let handler: Handler

        /// Stands for `init(handler:)`.
        public init(handler: @escaping Handler) {
            self.handler = handler
        }
    }
}

/// Stands for `UIKit.UICollectionReusableView`.
@MainActor
open class UICollectionReusableView: UIView {
    /// Stands for `init(frame:)`. Required here, so that a class of cells can be asked to make one.
    public override required init(frame: CGRect) {
        super.init(frame: frame)
    }

    /// Stands for `init?(coder:)`.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    var identifier: String?
    /// Stands for `UICollectionReusableView.reuseIdentifier`.
    open var reuseIdentifier: String? { identifier }
    /// Stands for `prepareForReuse()`.
    open func prepareForReuse() {}
}

/// Stands for `UIKit.UICollectionViewCell`.
@MainActor
open class UICollectionViewCell: UICollectionReusableView {
    /// Stands for `UICollectionViewCell.contentView`.
    open private(set) lazy var contentView: UIView = {
        let view = UIView()
        addSubview(view)
        return view
    }()
}

/// Stands for `UIKit.UICollectionViewListCell`.
@MainActor
open class UICollectionViewListCell: UICollectionViewCell {}

/// Stands for `UIKit.UICollectionViewLayout`.
@MainActor
open class UICollectionViewLayout: NSObject {
    /// The kinds of supplementary views that each section has.
    var supplementaryKinds: [String] { [] }

    /// Stands for `init()`.
    public override init() {
        super.init()
    }
}

/// Stands for `UIKit.UICollectionViewFlowLayout`.
@MainActor
open class UICollectionViewFlowLayout: UICollectionViewLayout {
    /// Stands for `UICollectionViewFlowLayout.itemSize`.
    open var itemSize = CGSize(width: 50, height: 50)
    /// Stands for `UICollectionViewFlowLayout.headerReferenceSize`.
    open var headerReferenceSize = CGSize.zero
    /// Stands for `UICollectionViewFlowLayout.footerReferenceSize`.
    open var footerReferenceSize = CGSize.zero

    override var supplementaryKinds: [String] {
        (headerReferenceSize == .zero ? [] : [UICollectionView.elementKindSectionHeader])
            + (footerReferenceSize == .zero ? [] : [UICollectionView.elementKindSectionFooter])
    }
}

/// Stands for `UIKit.UICollectionLayoutListConfiguration`.
@MainActor
public struct UICollectionLayoutListConfiguration {
    /// Stands for `UICollectionLayoutListConfiguration.Appearance`.
    public enum Appearance: Sendable {
        /// Stands for `Appearance.plain`.
        case plain
        /// Stands for `Appearance.grouped`.
        case grouped
        /// Stands for `Appearance.insetGrouped`. Not on tvOS.
        case insetGrouped
    }

    /// Stands for `init(appearance:)`.
    public init(appearance: Appearance) {}
}

/// Stands for `UIKit.UICollectionViewCompositionalLayout`.
@MainActor
open class UICollectionViewCompositionalLayout: UICollectionViewLayout {
    /// Stands for `list(using:)`.
    open class func list(
        using configuration: UICollectionLayoutListConfiguration
    ) -> UICollectionViewCompositionalLayout {
        UICollectionViewCompositionalLayout()
    }
}
