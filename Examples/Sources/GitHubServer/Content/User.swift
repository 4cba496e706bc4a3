/// A user or an organization.
package struct User: Sendable {
    package let login: String
    package let name: String?
    package let isOrganization: Bool

    package init(login: String, name: String?, isOrganization: Bool = false) {
        self.login = login
        self.name = name
        self.isOrganization = isOrganization
    }
}
