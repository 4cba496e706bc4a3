public import Foundation

extension Dispatcher {
    /// Saves what a request answers as a file.
    ///
    /// ```swift
    /// try await dispatcher.download(from: .get("/videos/7"), to: file)
    /// ```
    ///
    /// The bytes are written beside the destination, which stays as it is until they are complete and take its place in one
    /// step. After an error, a cancellation included, it is as it was. An answer whose status is no success (2xx) is not
    /// saved but thrown.
    ///
    /// - Parameters:
    ///   - request: What to ask.
    ///   - file: Where to save it, in a directory that exists. A file that is there is replaced.
    ///   - options: A limit, and whether a download goes on where it broke off the last time.
    ///   - report: Told how far the download has come, on any thread. A part from last time counts as received.
    /// - Returns: The answer, with the file as its data.
    /// - Throws: ``HTTPError/status(_:)`` with the beginning of the body, ``HTTPError/transport(_:)`` when not all
    ///   arrived, ``HTTPError/bodyTooLarge(limit:)``, and ``HTTPError/other(_:)`` with a ``DownloadError`` when it could not
    ///   be saved.
    @discardableResult
    public func download(
        from request: any Request, to file: URL, options: DownloadOptions = DownloadOptions(),
        report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<URL> {
        let download = Download(dispatcher: self, request: request, file: file, options: options, report: report)
        return try await download.run()
    }

    /// Returns a future that saves what a request answers as a file, as ``download(from:to:options:report:)`` does.
    public func future(
        downloading request: any Request, to file: URL, options: DownloadOptions = DownloadOptions()
    ) -> ResponseFuture<Response<URL>> {
        ResponseFuture { report in try await self.download(from: request, to: file, options: options, report: report) }
    }

    /// Sends a file, which is read while it is sent.
    ///
    /// ```swift
    /// try await dispatcher.upload(file: video, with: BasicRequest(method: .put, path: "/videos/7")) { show($0.sent) }
    /// ```
    ///
    /// - Parameters:
    ///   - file: What to send.
    ///   - request: Where. Its body is the file; without a `Content-Type`, it is `application/octet-stream`.
    ///   - report: Told how far the upload has come, on any thread.
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``HTTPError/defect(_:)`` with a ``RequestDefect/invalidBody(reason:cause:)`` if the file cannot be
    ///   read.
    @discardableResult
    public func upload(
        file: URL, with request: any Request, report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<Data?> {
        try await response(from: request.sending(file), report: report)
    }

    /// Returns a future that sends a file, as ``upload(file:with:report:)`` does.
    public func future(uploading file: URL, with request: any Request) -> ResponseFuture<Response<Data?>> {
        ResponseFuture { report in try await self.upload(file: file, with: request, report: report) }
    }
}

extension Request {
    fileprivate func sending(_ file: URL) -> any Request {
        var request = AmendedRequest(self)
        request.body = .file(file)
        request[header: "Content-Type"] = request[header: "Content-Type"] ?? "application/octet-stream"
        return request
    }
}

/// How a download is done.
public struct DownloadOptions: Sendable, Hashable {
    /// The most bytes of the file, or `nil` for no limit. A longer one is not read on.
    public var limit: Int?
    /// Whether what has arrived by a failure is kept, so that the same download goes on from there next time.
    ///
    /// It is kept beside the destination, as `.name.download`, and only where the server named the version of what it sent
    /// by a strong `ETag` or a `Last-Modified` (RFC 9110, 13.1.5), with which it is asked for the rest.
    public var keepsPartialFile: Bool

    /// Creates options.
    ///
    /// - Parameters:
    ///   - limit: The most bytes of the file, or `nil` for no limit.
    ///   - keepsPartialFile: Whether a failed download goes on next time from where it failed.
    public init(limit: Int? = nil, keepsPartialFile: Bool = false) {
        self.limit = limit
        self.keepsPartialFile = keepsPartialFile
    }
}

/// Why a download could not be saved. The destination is as it was.
public enum DownloadError: Error, Sendable, Hashable {
    /// The destination is no file of this machine.
    case noFile(String)
    /// The directory of the destination, the path of which it has, does not exist.
    case noDirectory(String)
    /// A directory stands where the file is to be.
    case isDirectory(String)
    /// The system would not write, for the reason it gave: no permission, no space.
    case cannotWrite(String, reason: String)
    /// The server sent a part of the file, which was not asked for.
    case unexpectedPart
}

extension DownloadError: PlainlyDescribedError {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .noFile(let address):
            "the download was not saved: \(address.printable) is no file; give a file URL"
        case .noDirectory(let path):
            "the download was not saved: there is no directory \(path.printable); create it first"
        case .isDirectory(let path):
            "the download was not saved: \(path.printable) is a directory; give the path of a file in it"
        case .cannotWrite(let path, let reason):
            "the download was not saved: \(path.printable) cannot be written (\(reason.printable))"
        case .unexpectedPart:
            "the download was not saved: the server sent a part of the file, though all of it was asked for"
        }
    }
}
