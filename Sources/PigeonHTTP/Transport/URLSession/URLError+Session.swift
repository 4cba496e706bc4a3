internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension URLError {
    /// Creates the error that a session's task ended with.
    ///
    /// - Parameter hasHead: True if the head of the response had arrived.
    init(_ error: any Error, hasHead: Bool) {
        guard let error = error as? URLError else {
            self.init(.unknown, userInfo: [NSUnderlyingErrorKey: error])
            return
        }
        #if canImport(FoundationNetworking)
            // On Linux, codes of libcurl without an equivalent are `unknown`, such as that of an incomplete body. A
            // connection that closes without a response is a bad response, and a response that is not HTTP is an
            // unsupported URL.
            let text = error.userInfo[NSLocalizedDescriptionKey] as? String
            switch (error.code, hasHead) {
            case (.unknown, false):
                self.init(text.flatMap(Code.init(curl:)) ?? .unknown, userInfo: error.userInfo)
            case (.unknown, true), (.badServerResponse, false):
                self.init(.networkConnectionLost, userInfo: error.userInfo)
            case (.unsupportedURL, _) where error.failingURL?.scheme?.hasPrefix("http") == true:
                self.init(.badServerResponse, userInfo: error.userInfo)
            default:
                self = error
            }
        #else
            self = error
        #endif
    }
}

#if canImport(FoundationNetworking)
    extension URLError.Code {
        /// The reason of a TLS failure, from libcurl's text, which is all that a session on Linux reports. `nil` if TLS
        /// did not fail.
        init?(curl text: String) {
            let text = text.lowercased()
            func says(_ words: String...) -> Bool { words.contains(where: text.contains) }
            guard ["ssl", "tls", "openssl"].contains(where: text.hasPrefix) || says("certificate ") else { return nil }
            self =
                if says("has expired") {
                    .serverCertificateHasBadDate
                } else if says("not yet valid") {
                    .serverCertificateNotYetValid
                } else if says("unable to get local issuer", "in certificate chain") {
                    .serverCertificateHasUnknownRoot
                } else if says("alert certificate required") {
                    .clientCertificateRequired
                } else if says("certificate problem", "no alternative certificate", "certificate subject name") {
                    .serverCertificateUntrusted
                } else {
                    .secureConnectionFailed
                }
        }
    }
#endif
