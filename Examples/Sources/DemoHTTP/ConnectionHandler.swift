import Foundation
import NIOCore
import NIOHTTP1

/// Collects the requests of one connection and writes their answers; the pipeline before it hands over one at a time.
final class ConnectionHandler<Content: Site>: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let site: Content
    private let connections: Connections
    private var head: HTTPRequestHead?
    private var body = Data()
    private var isTooLarge = false
    private var waiting: Visit?
    private var delayed: Scheduled<Void>?

    init(site: Content, connections: Connections) {
        self.site = site
        self.connections = connections
    }

    func channelActive(context: ChannelHandlerContext) {
        connections.add(context.channel)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        connections.remove(context.channel)
        delayed?.cancel()
        if let waiting { site.abandon(waiting) }
        waiting = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): begin(head, context: context)
        case .body(let part): collect(part)
        case .end: finish(context: context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
        context.close(promise: nil)
    }

    /// A malformed request has its 400 from the pipeline already: nothing after it can be understood.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func begin(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
        self.head = head
        body = Data()
        isTooLarge = head.declaredBytes > Limits.bodyBytes
        guard head.expectsContinue else { return }
        if isTooLarge {
            self.head?.headers.replaceOrAdd(name: "Connection", value: "close")
            finish(context: context)
        } else {
            let informational = HTTPResponseHead(version: head.version, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(informational)), promise: nil)
        }
    }

    /// Drops what is beyond the limit, but reads on: a client that still sends would not see an answer before a reset.
    private func collect(_ part: ByteBuffer) {
        guard head != nil, !isTooLarge else { return }
        body.append(contentsOf: part.readableBytesView)
        guard body.count > Limits.bodyBytes else { return }
        isTooLarge = true
        body = Data()
    }

    private func finish(context: ChannelHandlerContext) {
        guard let head else { return }
        self.head = nil
        let request = Request(head: head, body: body, isTooLarge: isTooLarge)
        body = Data()
        guard let visit = site.arrive(request) else { return context.close(promise: nil) }
        waiting = visit
        guard let gate = visit.gate else { return delay(visit, head: head, context: context) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        gate.whenOpen {
            bound.eventLoop.execute {
                let (handler, context) = bound.value
                handler.delay(visit, head: head, context: context)
            }
        }
    }

    private func delay(_ visit: Visit, head: HTTPRequestHead, context: ChannelHandlerContext) {
        guard visit.latency > .zero else { return carryOut(visit, head: head, context: context) }
        guard waiting != nil else { return }
        delayed = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(visit.latency)) {
            self.carryOut(visit, head: head, context: context)
        }
    }

    private func carryOut(_ visit: Visit, head: HTTPRequestHead, context: ChannelHandlerContext) {
        // A gate may open when the client has gone.
        guard waiting != nil else { return }
        waiting = nil
        switch site.answer(visit) {
        case .response(let response): write(response, to: head, context: context)
        case .lastResponse(let response):
            connections.drop(except: context.channel)
            write(response, to: head, context: context)
        case .reset: context.channel.reset()
        case .close: context.close(promise: nil)
        }
    }

    private func write(_ response: Response, to head: HTTPRequestHead, context: ChannelHandlerContext) {
        var answer = HTTPResponseHead(version: head.version, status: response.status, headers: response.headers)
        if response.status != .notModified {
            answer.headers.replaceOrAdd(name: "Content-Length", value: String(response.body.count))
        }
        if !head.isKeepAlive {
            answer.headers.add(name: "Connection", value: "close")
        } else if head.version == .http1_0 {
            answer.headers.add(name: "Connection", value: "keep-alive")
        }
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        if head.method != .HEAD, !response.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: response.body)))), promise: nil)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        guard !head.isKeepAlive else { return }
        let channel = context.channel
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
    }
}

extension HTTPRequestHead {
    fileprivate var declaredBytes: Int {
        headers.first(name: "Content-Length").flatMap(Int.init) ?? 0
    }

    fileprivate var expectsContinue: Bool {
        headers.first(name: "Expect")?.lowercased() == "100-continue"
    }
}
