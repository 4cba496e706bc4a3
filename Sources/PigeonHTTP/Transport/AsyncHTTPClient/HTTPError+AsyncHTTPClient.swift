#if AsyncHTTPClient
    internal import AsyncHTTPClient
    internal import Foundation
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOHTTPCompression
    internal import NIOPosix

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    extension HTTPError {
        /// Creates the error that `URLSession` would report for a client's error, which is the underlying one.
        ///
        /// - Parameter codings: The codings of the body, if the head has arrived.
        init(_ error: any Error, of request: TransportRequest, codedAs codings: [String] = []) {
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
            if let reason = decodingFailure(error) {
                let coding = codings.isEmpty ? "gzip or deflate" : codings.joined(separator: ", ")
                self = .transport(URLError(.undecodable(coding, reason: reason, cause: error)))
                return
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

    /// The reason for which the client could not decompress a body. `nil` for any other error.
    private func decodingFailure(_ error: any Error) -> String? {
        switch error {
        case let error as NIOHTTPDecompression.ExtraDecompressionError where error == .truncatedData:
            "it ends too early"
        case is NIOHTTPDecompression.ExtraDecompressionError:
            "more bytes follow its end, such as padding or a second part of gzip, which this transport does not read"
        case let error as NIOHTTPDecompression.DecompressionError where error == .limit:
            "it is longer than the client's limit"
        case is NIOHTTPDecompression.DecompressionError:
            "its bytes are not in the format of gzip or zlib; deflate without zlib's header is not read"
        default: nil
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
                default: Self(ofType: String(reflecting: type(of: error)))
                }
        }

        /// Errors of modules that are not imported here.
        private init(ofType name: String) {
            self =
                if name.hasPrefix("NIOSSL.") {
                    .secureConnectionFailed
                } else if ["NIOHTTP1.", "NIOHTTP2.", "NIOHPACK."].contains(where: name.hasPrefix) {
                    .badServerResponse
                } else {
                    .unknown
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
