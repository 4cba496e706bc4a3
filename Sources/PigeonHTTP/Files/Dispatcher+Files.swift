public import Foundation

extension Dispatcher {
    /// Saves the response to a request as a file.
    ///
    /// ```swift
    /// try await dispatcher.download(from: .get("/videos/7"), to: file)
    /// ```
    ///
    /// The bytes are written to a file beside the destination. Once they are complete, it replaces the destination in
    /// one step. After an error, including a cancellation, the destination is unchanged. A response with a status
    /// outside of 200 to 299 is not saved but thrown.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - file: The destination, in a directory that exists. An existing file is replaced.
    ///   - options: The limit, and whether a failed download can be resumed.
    ///   - report: Called with the progress, on any thread. The part from the last time counts as received.
    /// - Returns: The response, with the file as its data.
    /// - Throws: ``HTTPError/status(_:)`` with the beginning of the body, ``HTTPError/transport(_:)`` if not all of it
    ///   arrived, ``HTTPError/bodyTooLarge(limit:)``, and ``HTTPError/other(_:)`` with a ``DownloadError`` if it could
    ///   not be saved.
    @discardableResult
    public func download(
        from request: any Request, to file: URL, options: DownloadOptions = DownloadOptions(),
        report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<URL> {
        let download = Download(dispatcher: self, request: request, file: file, options: options, report: report)
        return try await download.run()
    }

    /// Sends a file, which is read while it is sent.
    ///
    /// ```swift
    /// try await dispatcher.upload(file: video, with: BasicRequest(method: .put, path: "/videos/7")) { show($0.sent) }
    /// ```
    ///
    /// - Parameters:
    ///   - file: The file to send.
    ///   - request: The request. The file becomes its body; without a `Content-Type`, it is `application/octet-stream`.
    ///   - report: Called with the progress, on any thread.
    /// - Returns: The response, whatever its status.
    /// - Throws: ``HTTPError/defect(_:)`` with a ``RequestDefect/invalidBody(reason:cause:)`` if the file cannot be
    ///   read.
    @discardableResult
    public func upload(
        file: URL, with request: any Request, report: TransferReport? = nil
    ) async throws(HTTPError) -> Response<Data?> {
        try await response(from: request.sending(file), report: report)
    }
}

extension Request {
    fileprivate func sending(_ file: URL) -> any Request {
        var request = AmendedRequest(self)
        request.body = .file(file)
        request.headers.ensureContentType("application/octet-stream")
        return request
    }
}

/// The options of a download.
public struct DownloadOptions: Sendable, Hashable {
    /// The largest size of the file, in bytes, or `nil` for no limit. A longer file is not read to its end.
    public var limit: Int?
    /// True if the part that arrived before a failure is kept, so that the same download resumes from there the next
    /// time.
    ///
    /// The part is kept beside the destination, as `.name.download`. This needs a server that names the version of the
    /// file by a strong `ETag` or a `Last-Modified` (RFC 9110, 13.1.5), with which the rest is requested.
    public var keepsPartialFile: Bool

    /// Creates options.
    ///
    /// - Parameters:
    ///   - limit: The largest size of the file, in bytes, or `nil` for no limit.
    ///   - keepsPartialFile: True if a failed download resumes the next time from where it failed.
    public init(limit: Int? = nil, keepsPartialFile: Bool = false) {
        self.limit = limit
        self.keepsPartialFile = keepsPartialFile
    }
}

/// A download that could not be saved. The destination is unchanged.
public enum DownloadError: Error, Sendable, Hashable {
    /// The destination is not a file of this machine.
    case noFile(String)
    /// The directory of the destination does not exist. The value is its path.
    case noDirectory(String)
    /// The destination is a directory.
    case isDirectory(String)
    /// The system could not write, for example without permission or space. The reason is the system's.
    case cannotWrite(String, reason: String)
    /// The server sent a part of the file that was not requested.
    case unexpectedPart
}

extension DownloadError: PlainlyDescribedError {
    /// Describes the problem and the remedy.
    public var description: String {
        switch self {
        case .noFile(let address):
            "the download was not saved: \(address.printable) is not a file; use a file URL"
        case .noDirectory(let path):
            "the download was not saved: there is no directory \(path.printable); create it first"
        case .isDirectory(let path):
            "the download was not saved: \(path.printable) is a directory; give the path of a file in it"
        case .cannotWrite(let path, let reason):
            "the download was not saved: \(path.printable) cannot be written (\(reason.printable))"
        case .unexpectedPart:
            "the download was not saved: the server sent a part of the file, although the whole file was requested"
        }
    }
}

extension DownloadError: LocalizedError, LocalizedReadableError {
    package var userText: UserText {
        if case .unexpectedPart = self { .badAnswer } else { .cannotSaveFile }
    }
}
