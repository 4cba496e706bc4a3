package import Foundation
import NIOConcurrencyHelpers
package import PigeonREST

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// A network that can be switched off, as if a cable were pulled.
///
/// It may also have one address served at another: a server that has another port each time it starts keeps its name, so
/// that what was cached of it is found again.
package final class NetworkSwitch: NetworkingProvider {
    private struct State {
        var isOn = true
        var transfers: [ObjectIdentifier: Transfer] = [:]
    }

    private let provider: any NetworkingProvider
    private let alias: (name: URL, server: URL)?
    private let state = NIOLockedValueBox(State())

    /// - Parameters:
    ///   - provider: Carries requests while the network is on.
    ///   - name: The address that resources have. `nil` where every address is what it says.
    ///   - server: Where requests to that address go.
    package init(_ provider: any NetworkingProviderConvertible, name: URL? = nil, servedAt server: URL? = nil) {
        self.provider = provider.siestaNetworkingProvider
        alias = if let name, let server { (name, server) } else { nil }
    }

    /// Whether requests go through. Switching it off ends those under way.
    package var isOn: Bool {
        get { state.withLockedValue { $0.isOn } }
        set {
            let cut = state.withLockedValue { state in
                state.isOn = newValue
                guard !newValue else { return [Transfer]() }
                defer { state.transfers = [:] }
                return Array(state.transfers.values)
            }
            for transfer in cut { transfer.cut() }
        }
    }

    package func startRequest(
        _ request: URLRequest, completion: @escaping RequestNetworkingCompletionCallback
    ) -> any RequestNetworking {
        let transfer = Transfer(completion)
        let id = ObjectIdentifier(transfer)
        let isOn = state.withLockedValue { state in
            if state.isOn { state.transfers[id] = transfer }
            return state.isOn
        }
        guard isOn else {
            transfer.end(nil, nil, URLError(.notConnectedToInternet))
            return transfer
        }
        let inner = provider.startRequest(addressed(request)) { [state] head, body, error in
            transfer.end(head, body, error)
            _ = state.withLockedValue { $0.transfers.removeValue(forKey: id) }
        }
        transfer.carry(by: inner)
        return transfer
    }

    /// The request as it goes to the server, which answers by the name.
    private func addressed(_ request: URLRequest) -> URLRequest {
        guard let alias, let url = request.url, url.host == alias.name.host,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return request }
        (parts.scheme, parts.host, parts.port) = (alias.server.scheme, alias.server.host, alias.server.port)
        var request = request
        request.url = parts.url
        request.setValue(alias.name.host, forHTTPHeaderField: "Host")
        return request
    }
}
