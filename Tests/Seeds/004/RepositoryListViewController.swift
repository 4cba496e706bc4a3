import PigeonREST
import PigeonUI
import UIKit

// The article's first block: how the controller is told what to show, word for word. The class around it is the app's.

final class RepositoryListViewController: UITableViewController {
    let statusOverlay = ResourceStatusOverlay()
    var subs: Set<AnyCancellable> = []

    override func viewDidLoad() {
        super.viewDidLoad()
        statusOverlay.embed(in: self)
    }

    override func viewDidLayoutSubviews() {
        super.viewDidLayoutSubviews()
        statusOverlay.positionToCoverParent()
    }

    // swift-format-ignore
    func configure(repositories: AnyPublisher<Resource? /* [Repository] */, Never>) {
        repositories
            // In this project we have an extension to tell Siesta's status overlay to be
            // interested in the latest Resource output by a Resource publisher. The following
            // line gives us a progress spinner, error display and retry functionality.
            .watchedBy(statusOverlay: statusOverlay)
            // Transform the sequence of Resources into a sequence of their content: [Repository].
            .flatMapLatest { resource -> AnyPublisher<[Repository], Never> in
                resource?.contentPublisher() ?? Just([]).eraseToAnyPublisher()
            }
            // This is everything we need to populate the table with the list of repos,
            // courtesy of CombineDataSources.
            .bind(subscriber: tableView.rowsSubscriber(cellIdentifier: "repo", cellType: RepositoryTableViewCell.self, cellConfig: { cell, indexPath, repo in
                cell.repository = repo
            }))
            .store(in: &subs)
    }
}
