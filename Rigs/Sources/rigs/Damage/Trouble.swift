internal import Foundation

/// A system that refuses for a while: a full disk, no descriptors left, no right to write.
final class Trouble {
    private let kind: DamageKind
    private let file: URL
    private let folder: Folder
    private var undo: [() -> Void] = []

    /// The file to use in place of the round's, if the trouble needs a volume of its own.
    let movedFile: URL?
    private let volume: URL?

    init(_ kind: DamageKind, file: URL, folder: Folder) throws {
        self.kind = kind
        self.file = file
        self.folder = folder
        volume = kind == .fullVolume ? try Self.mount(in: folder) : nil
        movedFile = volume?.appendingPathComponent("cache.sqlite")
    }

    func begin() throws {
        switch kind {
        case .fullDisk:
            let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber
            let old = limit(RLIMIT_FSIZE, to: UInt(max(size?.intValue ?? 0, 60_000)))
            undo.append { limit(RLIMIT_FSIZE, to: old) }
        case .fullVolume:
            guard let volume else { return }
            let filler = volume.appendingPathComponent("filler")
            try? Self.fill(filler)
            undo.append { try? FileManager.default.removeItem(at: filler) }
        case .noDescriptors:
            let old = limit(RLIMIT_NOFILE, to: 3)
            undo.append { limit(RLIMIT_NOFILE, to: old) }
        case .readOnly:
            let path = file.path
            _ = chown(path, 65534, 65534)
            _ = chmod(path, 0o444)
            _ = chmod(folder.url.path, 0o555)
            let user = geteuid()
            if user == 0 { _ = seteuid(65534) }
            undo.append { [folder] in
                if user == 0 { _ = seteuid(0) }
                _ = chmod(folder.url.path, 0o755)
                _ = chown(path, user, getegid())
                _ = chmod(path, 0o600)
            }
        default: break
        }
    }

    func end() {
        for step in undo { step() }
        undo = []
    }

    /// Removes the volume. Clients that still use it are named, so that they live until here.
    func clear(afterUsing clients: [AnyObject]) {
        guard let volume else { return }
        withExtendedLifetime(clients) { _ = Self.run("umount", "-l", volume.path) }
    }

    private static func mount(in folder: Folder) throws -> URL? {
        let volume = folder.file("volume")
        try FileManager.default.createDirectory(at: volume, withIntermediateDirectories: false)
        // Only the superuser may. For others the round is like one without a volume.
        return run("mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", volume.path) ? volume : nil
    }

    /// Writes until there is no space left.
    private static func fill(_ file: URL) throws {
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        while true { try handle.write(contentsOf: Data(count: 4096)) }
    }

    private static func run(_ arguments: String...) -> Bool { (try? Command.run(arguments)) != nil }
}
