internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension URLError {
    /// - Parameters:
    ///   - hasHead: True if the head of the response had arrived.
    ///   - codings: The codings of the body.
    init(_ error: any Error, hasHead: Bool, codedAs codings: [String] = []) {
        guard let error = error as? URLError else {
            self.init(.unknown, userInfo: [NSUnderlyingErrorKey: error])
            return
        }
        #if canImport(FoundationNetworking)
            // On Linux, codes of libcurl without an equivalent are `unknown`, such as that of an incomplete body. A
            // connection that closes without a response is a bad response, and a response that is not HTTP is an
            // unsupported URL.
            let text = error.userInfo[NSLocalizedDescriptionKey] as? String
            if let text, text.isDecodingFailure {
                let coding = codings.joined(separator: ", ")
                self.init(.undecodable(coding, reason: "libcurl reports: \(text.printable)", cause: error))
                return
            }
            switch (error.code, hasHead) {
            case (.unknown, false):
                var info = error.userInfo
                let code = text.flatMap(Code.init(curl:))
                if code == nil, let text { info[NSUnderlyingErrorKey] = TransportFault.session(text) }
                self.init(code ?? .unknown, userInfo: info)
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
    extension String {
        /// True for libcurl's texts for a body that it cannot decode.
        fileprivate var isDecodingFailure: Bool {
            let text = lowercased()
            return ["content encoding", "content unencoding", "or transfer-encoding"].contains(where: text.contains)
        }
    }

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
