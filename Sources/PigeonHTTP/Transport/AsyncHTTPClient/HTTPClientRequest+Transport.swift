#if AsyncHTTPClient
    internal import AsyncHTTPClient
    internal import Foundation
    internal import NIOCore
    internal import NIOHTTP1

    extension HTTPClientRequest {
        /// The exchange is notified of the sent part of the body if it needs to know.
        init(_ request: TransportRequest, for exchange: Exchange) {
            self.init(url: request.url.absoluteString)
            method = NIOHTTP1.HTTPMethod(rawValue: request.methodName)
            headers.reserveCapacity(request.headers.count)
            for field in request.headers where !field.name.isFramingHeader {
                headers.add(name: field.name, value: field.value)
            }
            guard let content = request.body else { return }
            if exchange.report == nil, request.gauge == nil, let data = content.bytes {
                body = .bytes(ByteBuffer(bytes: data))
            } else {
                body = .stream(
                    BodyParts(body: content, exchange: exchange), length: .known(exchange.expectedToSend))
            }
        }
    }

    extension TransportRequest {
        /// The length of the body in bytes, after checking its files.
        func bodyLength() throws(HTTPError) -> Int64 {
            do throws(RequestDefect) {
                return try body?.byteCount() ?? 0
            } catch {
                throw .defect(error)
            }
        }
    }

    /// The parts of a body. Each is read once the one before is being sent.
    private struct BodyParts: AsyncSequence, Sendable {
        static let size = 1 << 16

        let body: HTTPBody
        let exchange: Exchange

        func makeAsyncIterator() -> Iterator {
            Iterator(segments: body.segments[...], exchange: exchange)
        }

        struct Iterator: AsyncIteratorProtocol {
            var segments: ArraySlice<HTTPBody.Segment>
            let exchange: Exchange
            var file: FileHandle?
            var lastCount = 0

            mutating func next() async throws -> ByteBuffer? {
                if lastCount > 0 {
                    exchange.didSend(more: lastCount)
                    exchange.reportProgress()
                }
                while true {
                    if let part = try readFile() {
                        lastCount = part.count
                        return ByteBuffer(bytes: part)
                    }
                    guard let segment = segments.popFirst() else { return nil }
                    switch segment {
                    case .file(let url): file = try FileHandle(forReadingFrom: url)
                    case .data(let data):
                        if data.count > BodyParts.size { segments = [.data(data.dropFirst(BodyParts.size))] + segments }
                        guard !data.isEmpty else { continue }
                        let part = data.prefix(BodyParts.size)
                        lastCount = part.count
                        return ByteBuffer(bytes: part)
                    }
                }
            }

            private mutating func readFile() throws -> Data? {
                guard let open = file else { return nil }
                if let part = try open.read(upToCount: BodyParts.size), !part.isEmpty { return part }
                file = nil
                try open.close()
                return nil
            }
        }
    }
#endif
