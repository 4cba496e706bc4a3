internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension URLError {
    /// What a session's task ended with.
    ///
    /// - Parameter hasHead: Whether the head of the answer had arrived.
    init(_ error: any Error, hasHead: Bool) {
        guard let error = error as? URLError else {
            self.init(.unknown, userInfo: [NSUnderlyingErrorKey: error])
            return
        }
        #if canImport(FoundationNetworking)
            // There, codes of libcurl that have no other are `unknown`, that of a body cut off among them; a connection
            // that closes without an answer is a bad answer, and an answer that is no HTTP an address of no known kind.
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
        /// Why TLS failed, as libcurl says it: all that the session of Linux tells of that. `nil` if it was not TLS.
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
