import Foundation
import PigeonREST

/// Tells users of errors what GitHub says of them, in place of what the status does.
struct GitHubErrorMessageExtractor: ResponseTransformer {
    private struct Refusal: Decodable {
        let message: String
    }

    func process(_ response: ResourceResponse) -> ResourceResponse {
        guard case .failure(var error) = response, let body: Data = error.typedContent(),
            let refusal = try? JSONDecoder().decode(Refusal.self, from: body), !refusal.message.isEmpty
        else { return response }
        error.userMessage = refusal.message
        return .failure(error)
    }
}
