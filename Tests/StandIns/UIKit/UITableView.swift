/// Stands for `UIKit.UITableViewDataSource`. What the real one has as optional has a default here.
@MainActor
public protocol UITableViewDataSource: NSObjectProtocol {
    /// Stands for `tableView(_:numberOfRowsInSection:)`.
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
    /// Stands for `tableView(_:cellForRowAt:)`.
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
    /// Stands for `numberOfSections(in:)`.
    func numberOfSections(in tableView: UITableView) -> Int
    /// Stands for `tableView(_:titleForHeaderInSection:)`.
    func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String?
    /// Stands for `tableView(_:titleForFooterInSection:)`.
    func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String?
}

extension UITableViewDataSource {
    /// Stands for an optional requirement that is not there.
    public func numberOfSections(in tableView: UITableView) -> Int { 1 }
    /// Stands for an optional requirement that is not there.
    public func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
    /// Stands for an optional requirement that is not there.
    public func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String? { nil }
}

/// Stands for `UIKit.UIScrollViewDelegate`.
@MainActor
public protocol UIScrollViewDelegate: NSObjectProtocol {}

/// Stands for `UIKit.UITableViewDelegate`. What the real one has as optional has a default here.
@MainActor
public protocol UITableViewDelegate: UIScrollViewDelegate {
    /// Stands for `tableView(_:didSelectRowAt:)`.
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
    /// Stands for `tableView(_:willDisplay:forRowAt:)`.
    func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath)
}

extension UITableViewDelegate {
    /// Stands for an optional requirement that is not there.
    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    /// Stands for an optional requirement that is not there.
    public func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath) {}
}

/// Stands for `UIKit.UITableView`.
///
/// Shows a dozen rows, or as many as a test says, once it is laid out.
@MainActor
open class UITableView: UIScrollView {
    /// Stands for `UITableView.Style`.
    public enum Style: Int, Sendable {
        /// Stands for `Style.plain`.
        case plain
        /// Stands for `Style.grouped`.
        case grouped
        /// Stands for `Style.insetGrouped`. Not on tvOS.
        case insetGrouped
    }

    /// Stands for `UITableView.RowAnimation`.
    public enum RowAnimation: Int, Sendable {
        /// Stands for `RowAnimation.fade`.
        case fade
        /// Stands for `RowAnimation.none`.
        case none = 5
        /// Stands for `RowAnimation.automatic`.
        case automatic = 100
    }

    /// Stands for `init(frame:style:)`.
    public init(frame: CGRect, style: Style) {
        self.style = style
        super.init(frame: frame)
    }

    /// Stands for `init(frame:)`, which is a convenience there.
    public override convenience init(frame: CGRect) {
        self.init(frame: frame, style: .plain)
    }

    /// Stands for `init?(coder:)`.
    public required init?(coder: NSCoder) {
        style = .plain
        super.init(coder: coder)
    }

    /// Stands for `UITableView.style`.
    public let style: Style
    /// Stands for `UITableView.dataSource`.
    open weak var dataSource: (any UITableViewDataSource)? {
        didSet { reloadData() }
    }

    /// Stands for `UITableView.delegate`.
    open weak var delegate: (any UITableViewDelegate)?
    /// Stands for `UITableView.backgroundView`.
    open var backgroundView: UIView?
    /// Stands for `UITableView.tableHeaderView`.
    open var tableHeaderView: UIView?
    /// Stands for `UITableView.tableFooterView`.
    open var tableFooterView: UIView?
    /// Stands for `UITableView.rowHeight`.
    open var rowHeight: CGFloat = -1

    let store = CellStore<UITableViewCell>()
    private var viewport = Viewport()
    private var makers: [String: UITableViewCell.Type] = [:]
    /// Known since the last reload, as in the real one.
    private var counts: [Int]?

    // MARK: Cells

    /// Stands for `register(_:forCellReuseIdentifier:)`.
    open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {
        makers[identifier] = cellClass as? UITableViewCell.Type
    }

    /// Stands for `dequeueReusableCell(withIdentifier:)`.
    open func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? {
        if let cell = store.reuse(identifier) {
            cell.prepareForReuse()
            return cell
        }
        return makers[identifier].map { $0.init(style: .default, reuseIdentifier: identifier) }
    }

    /// Stands for `dequeueReusableCell(withIdentifier:for:)`.
    open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
        if let cell = store.reconfigured.removeValue(forKey: indexPath) { return cell }
        guard let cell = dequeueReusableCell(withIdentifier: identifier) else {
            preconditionFailure("unable to dequeue a cell with identifier \(identifier): it is not registered")
        }
        return cell
    }

    /// Stands for `cellForRow(at:)`.
    open func cellForRow(at indexPath: IndexPath) -> UITableViewCell? { store.cells[indexPath] }
    /// Stands for `indexPath(for:)`.
    open func indexPath(for cell: UITableViewCell) -> IndexPath? {
        store.cells.first { $0.value === cell }?.key
    }

    /// Stands for `UITableView.visibleCells`.
    open var visibleCells: [UITableViewCell] {
        store.cells.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Stands for `UITableView.indexPathsForVisibleRows`.
    open var indexPathsForVisibleRows: [IndexPath]? { store.cells.keys.sorted() }

    // MARK: Rows

    /// Stands for `UITableView.numberOfSections`.
    open var numberOfSections: Int { knownCounts.count }
    /// Stands for `numberOfRows(inSection:)`.
    open func numberOfRows(inSection section: Int) -> Int { knownCounts[section] }

    private var knownCounts: [Int] {
        if let counts { return counts }
        guard let dataSource else { return [] }
        let new = (0..<dataSource.numberOfSections(in: self)).map {
            dataSource.tableView(self, numberOfRowsInSection: $0)
        }
        counts = new
        return new
    }

    /// Stands for `reloadData()`.
    open func reloadData() {
        show([:])
    }

    /// Stands for `selectRow`, and for the finger that does it.
    package func tapRow(at indexPath: IndexPath) {
        delegate?.tableView(self, didSelectRowAt: indexPath)
    }

    /// Keeps on screen what is the same as before, at its new place.
    func show(_ kept: [IndexPath: UITableViewCell]) {
        for cell in store.cells.values where !kept.values.contains(cell) { store.keep(cell, cell.reuseIdentifier) }
        store.cells = kept
        counts = nil
        setNeedsLayout()
    }

    /// Stands for `layoutSubviews()`: asks for the cells of the rows on screen.
    open override func layoutSubviews() {
        super.layoutSubviews()
        let shown = viewport.indexPaths(of: knownCounts)
        for (place, cell) in store.cells where !shown.contains(place) {
            store.keep(cell, cell.reuseIdentifier)
            store.cells[place] = nil
        }
        for place in shown where store.cells[place] == nil {
            guard let dataSource else {
                preconditionFailure("the data source is gone, and a row is to be shown")
            }
            let cell = dataSource.tableView(self, cellForRowAt: place)
            store.cells[place] = cell
            addSubview(cell)
            delegate?.tableView(self, willDisplay: cell, forRowAt: place)
        }
    }

    /// How many rows are on screen at a time.
    package var rowsOnScreen: Int {
        get { viewport.count }
        set {
            viewport.count = newValue
            setNeedsLayout()
        }
    }

    /// Scrolls by so many rows.
    package func scrollDown(by rows: Int) {
        viewport.first = max(0, viewport.first + rows)
        setNeedsLayout()
        layoutIfNeeded()
    }
}

/// Stands for `UIKit.UITableViewCell`.
@MainActor
open class UITableViewCell: UIView {
    /// Stands for `UITableViewCell.CellStyle`.
    public enum CellStyle: Int, Sendable {
        /// Stands for `CellStyle.default`.
        case `default`
        /// Stands for `CellStyle.value1`.
        case value1
        /// Stands for `CellStyle.value2`.
        case value2
        /// Stands for `CellStyle.subtitle`.
        case subtitle
    }

    /// Stands for `init(style:reuseIdentifier:)`. Required here, so that a class of cells can be asked to make one.
    public required init(style: CellStyle, reuseIdentifier: String?) {
        self.reuseIdentifier = reuseIdentifier
        super.init(frame: .zero)
    }

    /// Stands for `init?(coder:)`.
    public required init?(coder: NSCoder) {
        reuseIdentifier = nil
        super.init(coder: coder)
    }

    /// Stands for `UITableViewCell.reuseIdentifier`.
    public let reuseIdentifier: String?
    /// Stands for `UITableViewCell.textLabel`.
    open private(set) lazy var textLabel: UILabel? = label()
    /// Stands for `UITableViewCell.detailTextLabel`.
    open private(set) lazy var detailTextLabel: UILabel? = label()
    /// Stands for `UITableViewCell.contentView`.
    open private(set) lazy var contentView: UIView = {
        let view = UIView()
        addSubview(view)
        return view
    }()

    /// Stands for `prepareForReuse()`.
    open func prepareForReuse() {}

    private func label() -> UILabel {
        let label = UILabel()
        contentView.addSubview(label)
        return label
    }
}
