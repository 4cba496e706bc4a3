#if AsyncHTTPClient
    internal import AsyncHTTPClient
    internal import Foundation
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    extension HTTPError {
        /// Creates the error that `URLSession` would report for a client's error, which is the underlying one.
        init(_ error: any Error, of request: TransportRequest) {
            if error is CancellationError {
                self = .cancelled
                return
            }
            if let error = error as? HTTPClientError {
                switch error {
                case .cancelled, .requestStreamCancelled:
                    self = .cancelled
                    return
                case .traceRequestWithBody:
                    self = .defect(.invalidBody(reason: "TRACE has none", cause: error))
                    return
                case .bodyLengthMismatch:
                    self = .defect(.invalidBody(reason: "a file changed while it was sent", cause: error))
                    return
                default: break
                }
            }
            do throws(HTTPError) {
                try request.headers.checkForSending()  // the client's own error would contain the value
            } catch {
                self = error
                return
            }
            self = .transport(
                URLError(
                    URLError.Code(error),
                    userInfo: [NSUnderlyingErrorKey: error, NSURLErrorFailingURLErrorKey: request.url]))
        }
    }

    extension URLError.Code {
        fileprivate init(_ error: any Error) {
            self =
                switch error {
                case let error as HTTPClientError: Self(error)
                case let error as NIOConnectionError:
                    error.connectionErrors.isEmpty ? .cannotFindHost : Self(connecting: error)
                case let error as IOError: Self(error)
                case let error as ChannelError: Self(error)
                case HTTPParserError.invalidEOFState: .networkConnectionLost
                case is HTTPParserError: .badServerResponse
                default: String(reflecting: type(of: error)).hasPrefix("NIOSSL.") ? .secureConnectionFailed : .unknown
                }
        }

        private init(_ error: HTTPClientError) {
            self =
                switch error {
                case .deadlineExceeded, .connectTimeout, .readTimeout, .writeTimeout, .tlsHandshakeTimeout,
                    .socksHandshakeTimeout, .httpProxyHandshakeTimeout, .getConnectionFromPoolTimeout:
                    .timedOut
                case .remoteConnectionClosed, .uncleanShutdown: .networkConnectionLost
                case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath: .badURL
                default: error.shortDescription == "Unsupported scheme" ? .unsupportedURL : .unknown
                }
        }

        /// Every address of the host was tried. The last failure represents all of them.
        private init(connecting error: NIOConnectionError) {
            let code = error.connectionErrors.last.map { Self($0.error) } ?? .unknown
            self = code == .timedOut ? .timedOut : .cannotConnectToHost
        }

        private init(_ error: IOError) {
            self =
                switch error.errnoCode {
                case ECONNREFUSED, EHOSTUNREACH: .cannotConnectToHost
                case ENETUNREACH, ENETDOWN: .notConnectedToInternet
                case ETIMEDOUT: .timedOut
                case ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN: .networkConnectionLost
                default: .unknown
                }
        }

        private init(_ error: ChannelError) {
            self =
                switch error {
                case .connectTimeout: .timedOut
                case .ioOnClosedChannel, .alreadyClosed, .inputClosed, .outputClosed, .eof: .networkConnectionLost
                default: .unknown
                }
        }
    }
#endif
