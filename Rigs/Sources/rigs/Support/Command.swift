internal import Foundation

/// A program of the system.
enum Command {
    /// A program that failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a program to its end.
    ///
    /// - Throws: ``Failure`` with its complaints, if it fails.
    static func run(_ arguments: [String]) throws {
        let process = Process()
        let complaints = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = complaints
        try process.run()
        let said = complaints.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: String(decoding: said, as: UTF8.self)) }
    }
}
