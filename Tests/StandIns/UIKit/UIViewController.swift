/// Stands for `UIKit.UIViewController`.
@MainActor
open class UIViewController: UIResponder {
    /// Stands for `init(nibName:bundle:)`.
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init()
    }

    /// Stands for `init?(coder:)`.
    public required init?(coder: NSCoder) {
        super.init()
    }

    /// Stands for `init()`.
    public override convenience init() {
        self.init(nibName: nil, bundle: nil)
    }

    // MARK: View

    private var loadedView: UIView?

    /// Stands for `UIViewController.view`. The real one is implicitly unwrapped too.
    open var view: UIView! {
        get {
            loadViewIfNeeded()
            return loadedView
        }
        set {
            loadedView = newValue
            newValue?.controller = self
        }
    }

    /// Stands for `UIViewController.viewIfLoaded`.
    open var viewIfLoaded: UIView? { loadedView }
    /// Stands for `UIViewController.isViewLoaded`.
    open var isViewLoaded: Bool { loadedView != nil }

    /// Stands for `loadViewIfNeeded()`.
    open func loadViewIfNeeded() {
        guard loadedView == nil else { return }
        loadView()
        viewDidLoad()
    }

    /// Stands for `loadView()`.
    open func loadView() {
        view = UIView(frame: CGRect(x: 0, y: 0, width: 320, height: 480))
    }

    /// Stands for `viewDidLoad()`.
    open func viewDidLoad() {}
    /// Stands for `viewWillAppear(_:)`.
    open func viewWillAppear(_ animated: Bool) {}
    /// Stands for `viewDidAppear(_:)`.
    open func viewDidAppear(_ animated: Bool) {}
    /// Stands for `viewWillDisappear(_:)`.
    open func viewWillDisappear(_ animated: Bool) {}
    /// Stands for `viewDidDisappear(_:)`.
    open func viewDidDisappear(_ animated: Bool) {}
    /// Stands for `viewWillLayoutSubviews()`.
    open func viewWillLayoutSubviews() {}
    /// Stands for `viewDidLayoutSubviews()`.
    open func viewDidLayoutSubviews() {}

    /// Stands for `UIViewController.title`.
    open var title: String?

    // MARK: Children

    /// Stands for `UIViewController.children`.
    open private(set) var children: [UIViewController] = []
    /// Stands for `UIViewController.parent`.
    open private(set) weak var parent: UIViewController?

    /// Stands for `addChild(_:)`.
    open func addChild(_ childController: UIViewController) {
        childController.removeFromParent()
        children.append(childController)
        childController.parent = self
    }

    /// Stands for `removeFromParent()`.
    open func removeFromParent() {
        parent?.children.removeAll { $0 === self }
        parent = nil
    }

    /// Stands for `didMove(toParent:)`.
    open func didMove(toParent parent: UIViewController?) {}
    /// Stands for `willMove(toParent:)`.
    open func willMove(toParent parent: UIViewController?) {}

    /// What being shown does.
    package func appear() {
        loadViewIfNeeded()
        viewWillAppear(false)
        viewIfLoaded?.layoutIfNeeded()
        viewDidAppear(false)
        for child in children { child.appear() }
    }

    /// What no longer being shown does.
    package func disappear() {
        for child in children { child.disappear() }
        viewWillDisappear(false)
        viewIfLoaded?.removeFromSuperview()
        viewDidDisappear(false)
    }
}

/// Stands for `UIKit.UITableViewController`.
@MainActor
open class UITableViewController: UIViewController, UITableViewDataSource, UITableViewDelegate {
    /// Stands for `init(style:)`.
    public init(style: UITableView.Style) {
        super.init(nibName: nil, bundle: nil)
    }

    /// Stands for `init(nibName:bundle:)`.
    public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
    }

    /// Stands for `init?(coder:)`.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// Stands for `UITableViewController.tableView`. The real one is implicitly unwrapped too.
    open var tableView: UITableView! {
        get { view as? UITableView }
        set { view = newValue }
    }

    /// Stands for `UITableViewController.refreshControl`. Not on tvOS.
    open var refreshControl: UIRefreshControl? {
        get { tableView.refreshControl }
        set { tableView.refreshControl = newValue }
    }

    /// Stands for `loadView()`.
    open override func loadView() {
        let table = UITableView(frame: CGRect(x: 0, y: 0, width: 320, height: 480), style: .plain)
        table.dataSource = self
        table.delegate = self
        view = table
    }

    /// Stands for `tableView(_:numberOfRowsInSection:)`.
    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
    /// Stands for `tableView(_:cellForRowAt:)`.
    open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
        UITableViewCell(style: .default, reuseIdentifier: nil)
    }

    /// Stands for `numberOfSections(in:)`.
    open func numberOfSections(in tableView: UITableView) -> Int { 1 }
    /// Stands for `tableView(_:didSelectRowAt:)`.
    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
}

/// Stands for `UIKit.UICollectionViewController`.
@MainActor
open class UICollectionViewController: UIViewController, UICollectionViewDataSource, UICollectionViewDelegate {
    private let layout: UICollectionViewLayout

    /// Stands for `init(collectionViewLayout:)`.
    public init(collectionViewLayout layout: UICollectionViewLayout) {
        self.layout = layout
        super.init(nibName: nil, bundle: nil)
    }

    /// Stands for `init(nibName:bundle:)`.
    public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        layout = UICollectionViewFlowLayout()
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
    }

    /// Stands for `init?(coder:)`.
    public required init?(coder: NSCoder) {
        layout = UICollectionViewFlowLayout()
        super.init(coder: coder)
    }

    /// Stands for `UICollectionViewController.collectionView`. The real one is implicitly unwrapped too.
    open var collectionView: UICollectionView! {
        get { view as? UICollectionView }
        set { view = newValue }
    }

    /// Stands for `loadView()`.
    open override func loadView() {
        let collection = UICollectionView(
            frame: CGRect(x: 0, y: 0, width: 320, height: 480), collectionViewLayout: layout)
        collection.dataSource = self
        collection.delegate = self
        view = collection
    }

    /// Stands for `collectionView(_:numberOfItemsInSection:)`.
    open func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int { 0 }
    /// Stands for `collectionView(_:cellForItemAt:)`.
    open func collectionView(
        _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell {
        UICollectionViewCell(frame: .zero)
    }
}
