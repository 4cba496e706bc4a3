import PigeonREST
import PigeonUI
import UIKit

// What the article's code takes from its app.

struct User: Codable, Equatable, Sendable {
    var login: String
    var name: String?
}

struct Repository: Codable, Equatable, Sendable {
    var name: String
    var stars: Int
}

final class RepositoryTableViewCell: UITableViewCell {
    var repository: Repository? {
        didSet {
            textLabel?.text = repository?.name
            detailTextLabel?.text = repository.map { "\($0.stars) ★" }
        }
    }
}
