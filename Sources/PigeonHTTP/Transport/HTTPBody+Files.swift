internal import Foundation

extension HTTPBody {
    /// The number of bytes, after a look at every file.
    ///
    /// - Throws: ``RequestDefect/invalidBody(reason:cause:)`` when a file is not there or cannot be read.
    func byteCount() throws(RequestDefect) -> Int64 {
        var count: Int64 = 0
        for segment in segments {
            switch segment {
            case .data(let data): count += Int64(data.count)
            case .file(let url): count += try Self.byteCount(of: url)
            }
        }
        return count
    }

    private static func byteCount(of file: URL) throws(RequestDefect) -> Int64 {
        guard file.isFileURL else { throw .invalidBody(reason: "\(file.lastPathComponent) is not on this machine") }
        let path = file.resolvingSymlinksInPath().path
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: path)
        } catch {
            throw .invalidBody(reason: "there is no file \(file.lastPathComponent)", cause: error)
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? NSNumber,
            FileManager.default.isReadableFile(atPath: path)
        else { throw .invalidBody(reason: "the file \(file.lastPathComponent) cannot be read") }
        return size.int64Value
    }
}
