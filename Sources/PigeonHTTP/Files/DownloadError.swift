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
