#if Devtools
    internal import Foundation
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOWebSocket

    final class PageHandler: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let site: Site
        private let port: Int
        private var head: HTTPRequestHead?

        init(_ site: Site, _ port: Int) {
            (self.site, self.port) = (site, port)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): self.head = head
            case .body: break
            case .end:
                guard let head else { return }
                self.head = nil
                answer(head, context)
            }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
            context.fireUserInboundEventTriggered(event)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            // A connection that is refused gets an answer.
            guard !(error is NIOWebSocketUpgradeError) else { return }
            context.close(promise: nil)
        }

        private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
            guard site.gate.admits(head, at: port) else {
                return write(.forbidden, .text("this name does not belong to the devtools"), head, context)
            }
            guard head.method == .GET || head.method == .HEAD else {
                return write(.methodNotAllowed, .text("only GET"), head, context)
            }
            let path = head.uri.prefix { $0 != "?" }
            if path == "/socket" { return write(.forbidden, .text("the token or the origin is wrong"), head, context) }
            guard let file = site.file(path == "/" ? "index.html" : String(path.dropFirst()), head) else {
                return write(.notFound, .text("there is no such file"), head, context)
            }
            write(.ok, file, head, context)
        }

        private func write(
            _ status: HTTPResponseStatus, _ file: PageFile, _ request: HTTPRequestHead, _ context: ChannelHandlerContext
        ) {
            var head = HTTPResponseHead(version: request.version, status: status)
            head.headers = Self.headers
            head.headers.add(name: "Content-Type", value: file.type)
            head.headers.add(name: "Content-Length", value: "\(file.bytes.count)")
            if !request.isKeepAlive { head.headers.add(name: "Connection", value: "close") }
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            if request.method != .HEAD {
                context.write(
                    wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: file.bytes)))),
                    promise: nil)
            }
            let isLast = !request.isKeepAlive
            let loop = context.eventLoop
            let bound = NIOLoopBound(context, eventLoop: loop)
            context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
                if isLast { bound.value.close(promise: nil) }
            }
        }

        /// The page runs its own scripts only, loads nothing from elsewhere, and cannot be part of another page.
        private static let headers: HTTPHeaders = [
            "Content-Security-Policy":
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cache-Control": "no-store",
        ]
    }
#endif
