/// A user, with the fields of JSONPlaceholder.
struct User: BlogRecord {
    struct Address: Codable {
        struct Location: Codable {
            var lat: String
            var lng: String
        }

        var street: String
        var suite: String
        var city: String
        var zipcode: String
        var geo: Location
    }

    struct Company: Codable {
        var name: String
        var catchPhrase: String
        var bs: String
    }

    let id: Int
    var name: String
    var username: String
    var email: String
    var address: Address
    var phone: String
    var website: String
    var company: Company

    static let noun = "user"
    static let filters: [(name: String, value: @Sendable (User) -> String)] = [
        ("id", { String($0.id) }), ("username", \.username), ("email", \.email),
    ]
}
