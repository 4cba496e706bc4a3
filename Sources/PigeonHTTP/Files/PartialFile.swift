internal import Foundation

/// The file beside its destination that a download is written to until it is whole. One download has it at a time.
final class PartialFile {
    /// How many bytes it has.
    private(set) var count: Int64 = 0
    /// What it has a part of, where that is known.
    private(set) var mark: DownloadMark?

    private let destination: URL
    private let url: URL
    private let isKept: Bool
    private let handle: FileHandle

    /// Opens a file for a destination: a new one, or the kept one of the same download.
    ///
    /// - Throws: ``DownloadError`` when nothing could be saved there.
    init(for destination: URL, of request: any Request, kept: Bool) throws(DownloadError) {
        try destination.checkForDownload()
        let folder = destination.deletingLastPathComponent()
        let keptURL = folder.appendingPathComponent(".\(destination.lastPathComponent).download")
        self.destination = destination
        // A kept file that another download has right now is left to it.
        if kept, let handle = try FileHandle.openExclusively(keptURL) {
            (url, isKept, self.handle) = (keptURL, true, handle)
            try takeUp(request)
        } else {
            url = folder.appendingPathComponent(".\(UUID().uuidString).download")
            isKept = false
            handle = try FileHandle.opening(url)
        }
    }

    private func takeUp(_ request: any Request) throws(DownloadError) {
        let known = (try? Data(contentsOf: markURL)).flatMap { try? JSONDecoder().decode(DownloadMark.self, from: $0) }
        guard let known, known.isOf(request) else { return try restart(with: nil) }
        count = try onDisk { Int64(try handle.seekToEnd()) }
        mark = known
    }

    /// Drops what is there, to begin with the version that an answer has.
    func restart(with mark: DownloadMark?) throws(DownloadError) {
        try onDisk { try handle.truncate(atOffset: 0) }
        count = 0
        self.mark = isKept ? mark : nil
        guard isKept else { return }
        guard let mark else {
            try? FileManager.default.removeItem(at: markURL)
            return
        }
        try onDisk { try JSONEncoder().encode(mark).write(to: markURL, options: .atomic) }
    }

    /// Appends bytes.
    func write(_ data: Data) throws(DownloadError) {
        try onDisk { try handle.write(contentsOf: data) }
        count += Int64(data.count)
    }

    /// Puts the file in its place, over whatever is there.
    func finish() throws(DownloadError) {
        // Before the file is moved: after that, the mark may be that of the next download.
        if isKept { try? FileManager.default.removeItem(at: markURL) }
        try onDisk {
            try handle.synchronize()
            try url.replace(destination)
            try handle.close()
        }
    }

    /// Leaves the file for next time where that makes sense, and removes it else.
    func giveUp() {
        if mark == nil || count == 0 { drop() }
        try? handle.close()
    }

    /// Removes the file.
    func drop() {
        try? FileManager.default.removeItem(at: url)
        if isKept { try? FileManager.default.removeItem(at: markURL) }
    }

    private var markURL: URL { url.appendingPathExtension("json") }

    private func onDisk<Result>(_ work: () throws -> Result) throws(DownloadError) -> Result {
        do { return try work() } catch { throw .cannotWrite(destination.path, reason: error.diskReason) }
    }
}
