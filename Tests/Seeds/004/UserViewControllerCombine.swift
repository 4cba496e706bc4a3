import PigeonREST
import PigeonUI
import UIKit

/// Looks up a user, and shows the user's repositories below: as the article says of the controller of this name, whose code
/// it does not show. The name that is typed and whether somebody is signed in both decide what is asked.
final class UserViewControllerCombine: UIViewController {
    let api: GitHubAPI
    let searchField = UITextField()
    let nameLabel = UILabel()
    let userCard = UIView()
    let statusOverlay = ResourceStatusOverlay()
    let repositoryList = RepositoryListViewController(style: .plain)
    private let typed = CurrentValueSubject<String, Never>("")
    private var subs: Set<AnyCancellable> = []

    init(api: GitHubAPI) {
        self.api = api
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) {
        nil
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        view.addSubview(searchField)
        view.addSubview(userCard)
        userCard.addSubview(nameLabel)
        statusOverlay.embed(in: userCard)
        addChild(repositoryList)
        view.addSubview(repositoryList.view)
        searchField.addAction(
            UIAction { [weak self] _ in self?.typed.send(self?.searchField.text ?? "") }, for: .editingChanged)

        let api = api
        let user = typed.removeDuplicates()
            .combineLatest(api.isAuthenticated)
            .map { name, _ -> Resource? in name.isEmpty ? nil : api.user(name) }
            .watchedBy(statusOverlay: statusOverlay)
            .flatMapLatest { resource -> AnyPublisher<User?, Never> in
                resource?.optionalContentPublisher() ?? Just(nil).eraseToAnyPublisher()
            }
            .removeDuplicates()
        user.map { $0?.name ?? $0?.login }
            .sink { [weak self] name in self?.nameLabel.text = name }
            .store(in: &subs)
        repositoryList.configure(
            repositories: user.map { $0.map(api.repositories) }.eraseToAnyPublisher())
    }
}
