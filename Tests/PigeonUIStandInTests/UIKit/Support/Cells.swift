import UIKit

// What the stand-ins note of each change of a list.

extension UITableView {
    var steps: [DiffableStep] {
        (dataSource as? UITableViewDiffableDataSource<Int, Int>)?.steps ?? []
    }
}

extension UICollectionView {
    var steps: [DiffableStep] {
        (dataSource as? UICollectionViewDiffableDataSource<Int, Int>)?.steps ?? []
    }
}
