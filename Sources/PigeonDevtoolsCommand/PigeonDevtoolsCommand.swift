#if Devtools
    import Foundation
    import PigeonDevtools

    /// Runs the desk, which serves the page of the devtools for programs that connect to it.
    @main
    struct PigeonDevtoolsCommand {
        static let usage = """
            Shows programs that use Pigeon in a browser. They connect if PIGEON_DEVTOOLS in their environment is the address
            that is printed.

            usage: pigeon-devtools [recording] [options]

              recording      a file that a page of the devtools has saved. The page opens it
              --network      lets programs on other machines connect, such as an app on a phone
              --port N       serves the page at port N, and programs at N + 1 (\(Desk.Options.pagePort))
              --token TEXT   the secret that programs need, at least 16 characters. By default, a new one each time.
                             PIGEON_DEVTOOLS_TOKEN in the environment does the same, and is not seen by others
            """

        static func main() async {
            do {
                guard let options = try options(Array(CommandLine.arguments.dropFirst())) else { return print(usage) }
                let desk = try await Desk.start(options)
                printAtOnce("Open \(desk.address)")
                printAtOnce("On this machine, start programs with\n  PIGEON_DEVTOOLS='\(desk.programAddresses[0])'")
                if let address = desk.programAddresses.dropFirst().first {
                    printAtOnce("and on other machines, with\n  PIGEON_DEVTOOLS='\(address)'")
                }
                while !Task.isCancelled { try await Task.sleep(for: .seconds(3600)) }
            } catch {
                FileHandle.standardError.write(Data("pigeon-devtools: \(error)\n".utf8))
                exit(1)
            }
        }

        /// - Returns: `nil` to show the usage.
        static func options(_ arguments: [String]) throws -> Desk.Options? {
            var options = Desk.Options()
            options.token = ProcessInfo.processInfo.environment["PIGEON_DEVTOOLS_TOKEN"]
            var rest = arguments[...]
            while let argument = rest.popFirst() {
                switch argument {
                case "--help", "-h": return nil
                case "--network": options.reach = .network
                case "--port":
                    guard let port = rest.popFirst().flatMap(UInt16.init), port < .max else {
                        throw Problem("--port needs a number from 0 to 65534")
                    }
                    options.ports = (Int(port), port == 0 ? 0 : Int(port) + 1)
                case "--token":
                    guard let token = rest.popFirst() else { throw Problem("--token needs a text") }
                    options.token = token
                case _ where argument.hasPrefix("-"):
                    throw Problem("\(argument.prefix { $0 != "=" }) is not known. --help lists the options")
                default:
                    let file = URL(fileURLWithPath: argument)
                    guard let content = try? Data(contentsOf: file) else {
                        throw Problem("\(argument) cannot be read")
                    }
                    options.recording = (file.lastPathComponent, Array(content))
                }
            }
            guard options.token.map({ $0.count >= 16 }) ?? true else {
                throw Problem("the token is too short: at least 16 characters")
            }
            return options
        }

        struct Problem: Error, CustomStringConvertible {
            let description: String

            init(_ description: String) { self.description = description }
        }
    }
#else
    @main
    struct PigeonDevtoolsCommand {
        static func main() {
            print("pigeon-devtools: enable the trait Devtools, as in: swift run --traits Devtools pigeon-devtools")
        }
    }
#endif
