/// Someone who can sign in, by `Bearer` with the token or by `Basic` with login and token.
package struct Account: Sendable, Equatable {
    package let login: String
    package let token: String

    package init(login: String, token: String) {
        self.login = login
        self.token = token
    }

    package static let ann = Account(login: "ann", token: "token-of-ann")
    package static let bob = Account(login: "bob", token: "token-of-bob")
    package static let all = [ann, bob]
}
