#if canImport(FoundationNetworking)
    internal import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif

/// A response without its body, and its request. Foundation's own types cost 4 µs to create, so they are created on
/// demand.
package enum ResponseHead: Sendable {
    case transported(TransportRequest, status: Int, headers: HTTPHeaders)
    case foundation(HTTPURLResponse, URLRequest)

    package var headers: HTTPHeaders {
        switch self {
        case .transported(_, _, let headers): headers
        case .foundation(let response, _): HTTPHeaders(response)
        }
    }

    package var httpResponse: HTTPURLResponse {
        switch self {
        case .transported(let request, let status, let headers):
            HTTPURLResponse(request.url, status, headers.dictionary) ?? HTTPURLResponse(request.url, status, [:])
                ?? { preconditionFailure("Foundation makes no response with the status \(status)") }()
        case .foundation(let response, _): response
        }
    }

    package var urlRequest: URLRequest {
        switch self {
        case .transported(let request, _, _): URLRequest(request)
        case .foundation(_, let request): request
        }
    }
}

extension HTTPHeaders {
    package init(_ response: HTTPURLResponse) {
        self.init(
            response.allHeaderFields.reduce(into: [:]) { all, field in
                guard let name = field.key as? String, let value = field.value as? String else { return }
                all[name] = value
            })
    }

    /// One value for each name, as in Foundation.
    package var dictionary: [String: String] {
        var all: [String: String] = [:]
        // The names in lower case, each with the form that came first. A server may send many.
        var names: [String: String] = [:]
        for field in self {
            let folded = field.name.foldedHeader
            if let name = names[folded] {
                all[name]? += ", \(field.value)"
            } else {
                names[folded] = field.name
                all[field.name] = field.value
            }
        }
        return all
    }
}

extension HTTPHeaders {
    package var lowercased: [String: String] {
        var all: [String: String] = [:]
        for field in self {
            let name = field.name.foldedHeader
            all[name] = all[name].map { "\($0), \(field.value)" } ?? field.value
        }
        return all
    }
}

extension HTTPURLResponse {
    fileprivate convenience init?(_ url: URL, _ status: Int, _ headers: [String: String]) {
        self.init(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
    }
}
