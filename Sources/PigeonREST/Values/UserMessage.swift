internal import Foundation
internal import PigeonBase
internal import PigeonHTTP

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The messages of request errors for users: the texts of ``UserText``, and the names of statuses as Siesta has them.
enum UserMessage {
    static func of(_ error: any Error) -> String {
        switch error {
        case HTTPError.status(let answer): of(status: answer.statusCode.rawValue)
        default: error.userMessage
        }
    }

    static var unparsable: String { UserText.cannotParse.text }

    /// Returns the app's text for a status, or else the status's capitalized name. If it is `nil`, returns a message
    /// that the request failed.
    static func of(status: Int?) -> String {
        guard let status else { return UserText.requestFailed.text }
        return UserText(status: status).appText() ?? name(of: status)
    }

    private static func name(of status: Int) -> String {
        let text = HTTPURLResponse.localizedString(forStatusCode: status)
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
