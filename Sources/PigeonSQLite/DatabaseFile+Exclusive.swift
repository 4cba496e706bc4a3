internal import GRDB

extension DatabaseFile {
    /// Runs work that no other process or instance does for this file at the same time.
    ///
    /// The lock is that of an empty database beside the file, `name.lock`: it is let go of even when the process dies.
    /// It is made when it is first needed, and stays, because removing it would let two hold it.
    func withExclusiveAccess(_ work: () throws -> Void) throws {
        var configuration = Configuration()
        configuration.label = "PigeonSQLite.lock"
        configuration.busyMode = .timeout(10)
        let lock = try DatabaseQueue(path: "\(path).lock", configuration: configuration)
        try lock.inDatabase { database in
            try database.inTransaction(.exclusive) {
                try work()
                return .commit
            }
        }
    }
}
