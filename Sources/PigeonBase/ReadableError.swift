package import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// An error with a text for users. Its description is for developers.
package protocol ReadableError: Error {
    var userText: UserText { get }
}

/// A readable error whose `localizedDescription` is its text for users.
///
/// The errors of PiuPiu 1.3 are only readable: apps conform them to `LocalizedError` themselves, as PiuPiu's
/// documentation says, and a conformance of the library would take precedence over the app's.
package protocol LocalizedReadableError: ReadableError, LocalizedError {}

extension LocalizedReadableError {
    /// The text for users.
    public var errorDescription: String? { userText.text }
}

extension Error {
    /// The text for users, as the library's views show it: `Text(error.userMessage)`.
    ///
    /// A `LocalizedError` has a text of its own. Each error of the library has one in a table, and so has a `URLError`
    /// for which Foundation has only a number. If nothing is known of the error, the text is "Something went wrong."
    ///
    /// The text contains no type, no error number and no secret, unless the error's own text does.
    public var userMessage: String {
        if let text = (self as? any LocalizedError)?.errorDescription { return text }
        if let error = self as? any ReadableError { return error.userText.text }
        if let error = self as? URLError { return error.networkMessage }
        if TransientError.isCancellation(self) { return UserText.cancelled.text }
        return domainMessage ?? UserText.somethingWentWrong.text
    }

    /// The text that the error's domain provides, as for errors of files. `nil` if there is only a number.
    private var domainMessage: String? {
        let error = self as NSError
        return error.userInfo[NSLocalizedDescriptionKey] as? String ?? error.localizedFailureReason
    }
}

extension URLError {
    /// The app's text for the error, or else the system's, or else the library's.
    fileprivate var networkMessage: String {
        let text = UserText(code)
        return text?.appText() ?? systemMessage ?? (text ?? .requestFailed).text
    }

    /// The text that the session gave the error. On Linux it is libcurl's, which is for developers.
    private var systemMessage: String? {
        #if canImport(FoundationNetworking)
            return nil
        #else
            return userInfo[NSLocalizedDescriptionKey] as? String
        #endif
    }
}

extension UserText {
    /// Creates the text for the status of a response that is an error.
    package init(status: Int) {
        switch status {
        case 401: self = .notSignedIn
        case 403: self = .notAllowed
        case 404, 410: self = .notFound
        case 408, 504: self = .timedOut
        case 429: self = .tooManyRequests
        case 400...499: self = .refused
        case 500...599: self = .serverTrouble
        default: self = .badAnswer
        }
    }

    /// Creates the text for an error of the network. `nil` if the table has none.
    fileprivate init?(_ code: URLError.Code) {
        switch code {
        case .cancelled: self = .cancelled
        case .timedOut: self = .timedOut
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive: self = .offline
        case .networkConnectionLost: self = .connectionLost
        case .cannotConnectToHost, .cannotLoadFromNetwork: self = .cannotConnect
        case .cannotFindHost, .dnsLookupFailed: self = .hostNotFound
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            self = .noSecureConnection
        case .badURL: self = .badAddress
        case .unsupportedURL: self = .unsupportedAddress
        case .httpTooManyRedirects, .redirectToNonExistentLocation: self = .badRedirect
        case .badServerResponse, .zeroByteResource: self = .badAnswer
        case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData: self = .cannotParse
        case .dataLengthExceedsMaximum: self = .answerTooLarge
        case .userAuthenticationRequired, .userCancelledAuthentication: self = .notSignedIn
        case .fileDoesNotExist: self = .notFound
        case .cannotCreateFile, .cannotOpenFile, .cannotCloseFile, .cannotWriteToFile, .cannotRemoveFile,
            .cannotMoveFile:
            self = .cannotSaveFile
        default: return nil
        }
    }
}
