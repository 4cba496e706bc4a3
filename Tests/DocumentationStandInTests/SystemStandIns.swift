import Foundation

extension FileManager {
    private static let containers = FileManager.default.temporaryDirectory.appendingPathComponent("groups-\(UUID())")

    /// Stands for `containerURL(forSecurityApplicationGroupIdentifier:)`.
    func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        Self.containers.appendingPathComponent(groupIdentifier)
    }

    static func removeContainers() {
        try? FileManager.default.removeItem(at: containers)
    }
}
