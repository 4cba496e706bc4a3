#if AsyncHTTPClient
    internal import AsyncHTTPClient
    internal import Foundation
    internal import NIOCore
    internal import NIOHTTP1
    internal import PigeonBase

    /// Reads the body of a client's response for an exchange. Bytes that have already arrived are read before the
    /// initializer returns. Retains the transport, and with it the client, until the end.
    final class AsyncHTTPClientBody: Carrier {
        private let reading: Task<Void, Never>

        init(of response: HTTPClientResponse, for exchange: Exchange, keeping transport: AsyncHTTPClientTransport) {
            let body = response.body
            reading = launchImmediately {
                do {
                    for try await part in body {
                        exchange.didReceive(part)
                        if exchange.isPaused { await exchange.waitForRoom() }
                        guard !exchange.hasEnded else { break }
                    }
                    exchange.didEnd(with: nil)
                } catch {
                    exchange.didEnd(with: HTTPError(error, of: exchange.request))
                }
                withExtendedLifetime(transport) {}
            }
        }

        func cancel() {
            reading.cancel()
        }

        func pause() {}  // the reading task waits by itself

        func proceed() {}
    }

    extension Exchange {
        /// Takes the head of a client's response.
        func didReceive(_ response: HTTPClientResponse) {
            didReceive(
                Int(response.status.code),
                HTTPHeaders(response.headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value) }))
        }

        fileprivate func didReceive(_ part: ByteBuffer) {
            didReceive(part.readableBytes) { body in
                part.withUnsafeReadableBytes { body.append(contentsOf: $0) }
            }
        }
    }
#endif
