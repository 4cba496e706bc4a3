import Foundation
import Pigeon
import PigeonCore
import PigeonREST
import PigeonUI
import UIKit

struct Repository: Codable, Equatable, Identifiable, Sendable {
    var id: Int
    var name: String
    var isFork: Bool
}

struct Photo: Codable, Equatable, Hashable, Identifiable, Sendable {
    var id: Int
}

final class RepositoryCell: UITableViewCell {
    var repository: Repository?
}

final class PhotoCell: UICollectionViewCell {
    var photo: Photo?
}

final class TitleView: UICollectionReusableView {
    var text: String?
}

/// The snippets of PigeonUI's documentation comments about UIKit, compiled; `ReadmeTests` compares.
@MainActor
enum UIKitSnippets {
    struct User: Sendable {
        var avatarURL: URL?
    }

    final class UserCell: UITableViewCell {
        let avatar = RemoteImageView(frame: CGRect(x: 0, y: 0, width: 40, height: 40))

        var user: User? {
            didSet { avatar.url = user?.avatarURL }
        }
    }

    struct API: Sendable {
        let service = Service(baseURL: "https://api.example.com")
        func user(_ name: String) -> Resource { service.resource("/users/\(name)") }
    }

    static let api = API()

    final class ProfileController: UIViewController {
        let statusOverlay = ResourceStatusOverlay()

        override func viewDidLoad() {
            super.viewDidLoad()
            statusOverlay.embed(in: self)
            statusOverlay.watch(api.user("ann"))
        }
    }

    static func system() -> QuerySubscription {
        let system = QueryClient.shared.followsSystem()
        return system
    }

    static func rows(
        _ repositories: TypedResource<[Repository]>, _ tableView: UITableView,
        _ subscriptions: inout Set<AnyCancellable>
    ) {
        // swift-format-ignore
        repositories.contentPublisher()
            .bind(subscriber: tableView.rowsSubscriber(cellIdentifier: "repo", cellType: RepositoryCell.self) {
                cell, indexPath, repository in cell.repository = repository
            })
            .store(in: &subscriptions)
    }

    static func rows(
        _ repositories: AnyPublisher<[Repository], Never>, _ tableView: UITableView,
        _ rows: TableViewItemsController<Repository>, _ subscriptions: inout Set<AnyCancellable>
    ) {
        repositories.bind(subscriber: tableView.rowsSubscriber(rows)).store(in: &subscriptions)
    }

    static func rows(_ repositories: Query<Void, [Repository]>, _ tableView: UITableView) {
        let rows = TableViewItemsController<Repository> { table, indexPath, repository in
            let cell = table.dequeueReusableCell(withIdentifier: repository.isFork ? "fork" : "own", for: indexPath)
            cell.textLabel?.text = repository.name
            return cell
        }
        let controller = QueryCollectionController(tableView: tableView, items: rows, query: repositories)
        controller.refetch()
    }

    static func items(
        _ photos: TypedResource<[Photo]>, _ collectionView: UICollectionView,
        _ subscriptions: inout Set<AnyCancellable>
    ) {
        // swift-format-ignore
        photos.contentPublisher()
            .bind(subscriber: collectionView.itemsSubscriber(cellType: PhotoCell.self) { cell, indexPath, photo in
                cell.photo = photo
            })
            .store(in: &subscriptions)
    }

    static func items(_ photos: Query<Void, [Photo]>, _ collectionView: UICollectionView) {
        let photo = UICollectionView.CellRegistration<PhotoCell, Photo> { cell, _, photo in cell.photo = photo }
        let items = CollectionViewItemsController<Photo> { view, indexPath, item in
            view.dequeueConfiguredReusableCell(using: photo, for: indexPath, item: item)
        }
        let controller = QueryCollectionController(collectionView: collectionView, items: items, query: photos)
        controller.refetch()
    }

    static func items(
        _ photos: AnyPublisher<[Photo], Never>, _ collectionView: UICollectionView,
        _ items: CollectionViewItemsController<Photo>, _ subscriptions: inout Set<AnyCancellable>
    ) {
        photos.bind(subscriber: collectionView.itemsSubscriber(items)).store(in: &subscriptions)
    }

    static func sections(
        _ albums: AnyPublisher<[ListSection<String, Photo>], Never>, _ collectionView: UICollectionView,
        _ items: CollectionViewItemsController<Photo>, _ subscriptions: inout Set<AnyCancellable>
    ) {
        let title = UICollectionView.SupplementaryRegistration<TitleView>(
            elementKind: UICollectionView.elementKindSectionHeader
        ) { [weak items] view, _, indexPath in view.text = items?.header(ofSection: indexPath.section) }
        items.supplementaryViewFactory = { view, _, indexPath in
            view.dequeueConfiguredReusableSupplementary(using: title, for: indexPath)
        }
        albums.bind(subscriber: collectionView.sectionsSubscriber(items)).store(in: &subscriptions)
    }

    static func controller(
        _ tableView: UITableView, _ posts: PaginatedQuery<Void, NumericPaginatedQueryKey, [Post]>,
        _ emptyLabel: UILabel,
        _ errorBanner: UILabel, _ makeCell: @escaping TableViewItemsController<Post>.CellFactory
    ) {
        let cells = TableViewItemsController<Post>(cellFactory: makeCell)
        let controller = QueryCollectionController(tableView: tableView, items: cells, query: posts)
        controller.onStatusChange = { status in
            emptyLabel.isHidden = !status.isEmpty
            errorBanner.text = status.error?.localizedDescription
        }
    }
}
