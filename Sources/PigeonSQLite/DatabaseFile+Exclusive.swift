internal import GRDB

extension DatabaseFile {
    /// Runs work while no other process or instance runs such work for this file.
    ///
    /// It locks an empty database beside the file, `name.lock`. The system releases the lock even if the process dies.
    /// The lock file is created when it is first needed, and stays, because removing it would let two processes hold
    /// the lock.
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
