public import Dispatch

/// Opens a file for its events only.
public let O_EVTONLY: Int32 = 0x8000

// On Apple's systems, this function is in Dispatch. Dispatch on Linux has only the type of its events.
extension DispatchSource {
    /// Makes a source of the changes of a file.
    public class func makeFileSystemObjectSource(
        fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceProtocol {
        fatalError("This stand-in is only compiled.")
    }
}
