@_exported public import Glibc

extension stat {
    /// The time of the last change of the file's content.
    public var st_mtimespec: timespec { st_mtim }
}
