internal import Foundation

struct Download: Sendable {
    let dispatcher: any Dispatcher
    let request: any Request
    let file: URL
    let options: DownloadOptions
    let report: TransferReport?

    /// Sends the request, saves the response, and moves the file to its destination. Does not run on the caller's
    /// actor, because disks are slow.
    @concurrent
    func run() async throws(HTTPError) -> Response<URL> {
        let part = try PartialFile(for: file, of: request, kept: mayResume)
        do {
            let answer = try await fetch(into: part)
            try part.finish()
            return answer.withData(file)
        } catch {
            if case .bodyTooLarge = error { part.drop() }
            part.giveUp()
            throw error
        }
    }

    /// True if the request itself asks for a part of the file.
    private var hasOwnRange: Bool { request.headers.value(of: "Range") != nil }
    private var mayResume: Bool { options.keepsPartialFile && !hasOwnRange }

    private func fetch(into part: PartialFile) async throws(HTTPError) -> Response<HTTPChunks> {
        var last: Response<HTTPChunks>?
        while true {
            let offset = part.count
            let answer = try await dispatcher.stream(from: conditional(after: part), report: nil)
            if let last, isEnd(answer, of: part) { return last }
            guard offset == 0 || !isUseless(answer, for: part) else {
                try part.restart(with: nil)
                last = nil
                continue
            }
            let success = try await answer.orStatusError()
            let total = try prepare(part, for: success)
            try await save(success.data, in: part, total: total)
            let isPart = success.statusCode.rawValue == 206 && !hasOwnRange
            guard part.count != total, isPart || total != nil else { return success }
            // A server can send less than the rest of the file (RFC 9110, 15.3.7). It must send something, so that the
            // loop ends.
            guard isPart, part.count > offset, part.count < total ?? .max, part.mark != nil else {
                throw .transport(URLError(.networkConnectionLost))
            }
            last = success
        }
    }

    /// True if the response to a request for the rest reports that there is no rest, for a file of unknown length.
    private func isEnd(_ answer: Response<HTTPChunks>, of part: PartialFile) -> Bool {
        guard answer.statusCode.rawValue == 416 else { return false }
        let total = part.mark?.length ?? answer.headers["Content-Range"].flatMap(ContentRange.unsatisfiedTotal)
        return (total ?? part.count) == part.count
    }

    /// Returns a request for the missing rest of the same version.
    private func conditional(after part: PartialFile) -> any Request {
        guard mayResume else { return request }
        var request = AmendedRequest(request)
        request.headers.set("identity", for: "Accept-Encoding")
        if part.count > 0, let validator = part.mark?.validator {
            request.headers.set("bytes=\(part.count)-", for: "Range")
            request.headers.set(validator, for: "If-Range")
        }
        return request
    }

    /// True if the response to a request for the rest shows that the part on disk cannot be used.
    private func isUseless(_ answer: Response<HTTPChunks>, for part: PartialFile) -> Bool {
        switch answer.statusCode.rawValue {
        case 416: true
        case 206:
            answer.headers["Content-Range"].flatMap(ContentRange.init)?.first != part.count
                || part.mark?.isContradicted(by: answer.headers) != false
        default: false
        }
    }

    /// Prepares the file for the body of a response.
    ///
    /// - Returns: The size that the file will have, if the server named it.
    private func prepare(_ part: PartialFile, for answer: Response<HTTPChunks>) throws(HTTPError) -> Int64? {
        let range = answer.headers["Content-Range"].flatMap(ContentRange.init)
        let length = try? answer.headers.contentLength()
        let total: Int64?
        if answer.statusCode.rawValue == 206, !hasOwnRange {
            guard range?.first == part.count else { throw .other(DownloadError.unexpectedPart) }
            total = range?.total ?? part.mark?.length
        } else {
            // The length of an encoded body is not that of the file.
            total = answer.headers.contentCodings.isEmpty && request.method != .head ? length : nil
            let mark = DownloadMark(of: request, answeredWith: answer.headers, length: total)
            try part.restart(with: mark)
        }
        if let limit = options.limit, let total, total > limit { throw .bodyTooLarge(limit: limit) }
        return total
    }

    private func save(_ pieces: HTTPChunks, in part: PartialFile, total: Int64?) async throws(HTTPError) {
        report?(TransferProgress(received: part.count, expectedToReceive: total))
        while let piece = try await pieces.next() {
            if let limit = options.limit, part.count + Int64(piece.count) > limit { throw .bodyTooLarge(limit: limit) }
            try part.write(piece)
            report?(TransferProgress(received: part.count, expectedToReceive: total))
        }
    }
}
