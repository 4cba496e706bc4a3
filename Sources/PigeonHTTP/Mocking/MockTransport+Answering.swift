internal import Foundation

extension MockTransport {
    /// Answers by the newest script that matches, or throws an ``UnscriptedRequest``.
    public func stream(
        _ request: TransportRequest, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<HTTPChunks> {
        try await stream(request, report: report, unscripted: nil, delay: .zero)
    }

    /// - Parameters:
    ///   - unscripted: The answer if there is no script at all.
    ///   - delay: The delay of answers without a delay of their own.
    func stream(
        _ request: TransportRequest, report: TransferReport?, unscripted: MockAnswer?, delay: Duration
    ) async throws(HTTPError) -> TransportResponse<HTTPChunks> {
        let asked = try take(request)
        do {
            let answer = try await choose(for: asked, unscripted: unscripted)
            try await wait(answer.delay ?? delay, atMost: request.timeout)
            if let error = answer.error { throw error }
            let sent = asked.body.map { Int64($0.count) } ?? 0
            report?(TransferProgress(sent: sent, expectedToSend: sent))
            let body = chunks(of: request.method == .head ? .data(Data()) : answer.body, sent: sent, report: report)
            return TransportResponse(status: answer.status.rawValue, headers: answer.headers, body: body)
        } catch {
            let error = Task.isCancelled ? HTTPError.cancelled : HTTPError(error)
            end(error)
            throw error
        }
    }

    private func take(_ request: TransportRequest) throws(HTTPError) -> MockRequest {
        if Task.isCancelled { throw .cancelled }
        do {
            let asked = try MockRequest(request, below: baseURL)
            change { state in
                state.requests.append(asked)
                state.active += 1
            }
            return asked
        } catch {
            throw .defect(error)
        }
    }

    private func choose(for request: MockRequest, unscripted: MockAnswer?) async throws -> MockAnswer {
        let (chosen, isScripted) = state.withLock { state -> ((Handler, PathValues)?, Bool) in
            for (index, script) in state.scripts.enumerated() where script.isFor(request) {
                guard let values = script.pattern.values(in: request.url, below: state.baseURL) else { continue }
                return ((state.scripts[index].next(), values), true)
            }
            return (nil, !state.scripts.isEmpty)
        }
        if let (handler, values) = chosen { return try await handler(request, values) }
        guard !isScripted, let unscripted else {
            throw UnscriptedRequest(method: request.method, path: request.path)
        }
        return unscripted
    }

    private func wait(_ delay: Duration, atMost timeout: Duration?) async throws(HTTPError) {
        if Task.isCancelled { throw .cancelled }
        let wait = min(delay, timeout ?? delay)
        guard wait > .zero else { return }
        do { try await clock.sleep(for: wait) } catch { throw .cancelled }
        if wait < delay { throw .transport(URLError(.timedOut)) }
    }

    /// Sends the body piece by piece. The request stays active until the end of the body was read or the reader has
    /// released it.
    private func chunks(of body: MockAnswer.Body, sent: Int64, report: TransferReport?) -> HTTPChunks {
        HTTPChunks { continuation in
            let pump = launchImmediately { [self] in
                var progress = TransferProgress(sent: sent, expectedToSend: sent)
                if case .data(let data) = body { progress.expectedToReceive = Int64(data.count) }
                do {
                    for try await piece in body.pieces {
                        progress.received += Int64(piece.count)
                        report?(progress)
                        continuation.yield(piece)
                    }
                    try Task.checkCancellation()
                    end(nil)
                    continuation.finish()
                } catch {
                    end(HTTPError(error))
                    continuation.finish(throwing: HTTPError(error))
                }
            }
            continuation.onTermination = { _ in pump.cancel() }
        }
    }

    private func end(_ error: HTTPError?) {
        change { state in
            state.active -= 1
            if case .cancelled = error { state.cancelled += 1 }
        }
    }
}

extension MockAnswer.Body {
    fileprivate var pieces: HTTPChunks {
        switch self {
        case .stream(let make): make()
        case .data(let data): HTTPChunks(piece: data.isEmpty ? nil : data)
        }
    }
}
