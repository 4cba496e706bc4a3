import Foundation
import NIOCore
import NIOPosix
import Testing

/// One TCP connection to a server, for bytes that no HTTP client would send.
struct Wire {
    let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator

    func send(_ text: String) async throws {
        try await outbound.write(ByteBuffer(string: text))
    }

    /// Returns all that the server sends until it closes.
    @concurrent mutating func readToEnd() async throws -> String {
        var text = ""
        while let part = try await inbound.next() { text += String(buffer: part) }
        return text
    }

    /// Returns what the server sends up to and including a text.
    @concurrent mutating func read(through end: String) async throws -> String {
        var text = ""
        while !text.contains(end), let part = try await inbound.next() { text += String(buffer: part) }
        return text
    }
}

@concurrent func withWire(_ url: URL, _ test: @concurrent (inout Wire) async throws -> Void) async throws {
    let host = try #require(url.host)
    let port = try #require(url.port)
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(host: host, port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
    try await channel.executeThenClose { inbound, outbound in
        var wire = Wire(outbound: outbound, inbound: inbound.makeAsyncIterator())
        try await test(&wire)
    }
}
