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
            switch (error.code, hasHead) {
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
