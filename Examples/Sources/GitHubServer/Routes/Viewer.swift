import DemoHTTP
import Foundation
import NIOHTTP1

/// Who asks, by what the `Authorization` header says.
enum Viewer: Hashable {
    case anonymous
    case account(String)
    /// Credentials that belong to no account.
    case unknown

    init(_ request: Request, accounts: [Account]) {
        guard let header = request.headers.first(name: "Authorization") else { self = .anonymous; return }
        let parts = header.split(separator: " ", maxSplits: 1).map(String.init)
        let account =
            switch (parts.first?.lowercased(), parts.last) {
            case ("bearer", let token?), ("token", let token?): accounts.first { $0.token == token }
            case ("basic", let text?): accounts.first { $0.isNamed(inBasic: text) }
            default: Account?.none
            }
        self = account.map { .account($0.login) } ?? .unknown
    }

    var login: String? {
        guard case .account(let login) = self else { return nil }
        return login
    }
}

extension Account {
    fileprivate func isNamed(inBasic text: String) -> Bool {
        guard let data = Data(base64Encoded: text) else { return false }
        let parts = String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1)
        return parts.count == 2 && parts[0].lowercased() == login.lowercased() && parts[1] == token
    }
}
