#if Devtools
    internal import Foundation
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix

    /// Serves the page for programs that cannot be reached, such as an app on a phone. They connect to the desk instead,
    /// and it joins each browser to one of them.
    ///
    /// The command `pigeon-devtools` runs one.
    package final class Desk: Sendable {
        package struct Options: Sendable {
            package static let pagePort = 4774
            package static let programPort = 4775

            /// The port of the page, and that of programs. 0 for any that is free.
            package var ports = (page: pagePort, programs: programPort)
            /// The machines from which programs may connect. The page is for browsers on this machine only.
            package var reach = Devtools.Reach.loopback
            /// The secret that programs need. `nil` for a new one.
            package var token: String?
            /// A recording that the page opens: the name and the content of its file.
            package var recording: (name: String, bytes: [UInt8])?
            /// Called when a program has connected, or has left.
            package var announce: @Sendable (String) -> Void = printAtOnce

            package init() {}
        }

        /// The address of the page, with its token.
        package let address: String
        /// The addresses of programs, with their token: first that for programs on this machine.
        package let programAddresses: [String]
        private let group: MultiThreadedEventLoopGroup

        private init(_ group: MultiThreadedEventLoopGroup, _ address: String, _ programAddresses: [String]) {
            (self.group, self.address, self.programAddresses) = (group, address, programAddresses)
        }

        deinit {
            group.shutdownGracefully { _ in }
        }

        package static func start(_ options: Options = Options()) async throws(DevtoolsError) -> Desk {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            do {
                let (pageToken, programToken) = (Token(), options.token.map(Token.init) ?? Token())
                let list = ProgramList(options)
                let programs = Site(
                    gate: Gate(.programs, programToken), messageLimit: 64 << 20, file: { _, _ in nil },
                    end: { head in list.end(ofProgram: head) })
                let programPort = try await Server.listen(
                    on: group, options.reach, port: options.ports.programs, programs)
                let hosts = ["127.0.0.1"] + (options.reach == .network ? [Machine.address] : [])
                let addresses = hosts.map { programToken.address("ws", $0, programPort) }
                let gate = Gate(.page(isOnNetwork: false), pageToken)
                let page = Site(
                    gate: gate, messageLimit: Server.messageLimit,
                    file: { name, head in
                        guard name == "recording", gate.hasToken(head) else { return PageFile.named(name) }
                        return options.recording.map { PageFile(bytes: $0.bytes, type: "application/x-ndjson") }
                    },
                    end: { head in
                        let program = head.query("program").flatMap(Int.init)
                        return { DeskBrowser($0, list, program, dial: addresses) }
                    })
                let port = try await Server.listen(on: group, .loopback, port: options.ports.page, page)
                return Desk(group, pageToken.address("http", "127.0.0.1", port), addresses)
            } catch {
                try? await group.shutdownGracefully()
                throw error
            }
        }

        package func stop() async {
            try? await group.shutdownGracefully()
        }
    }

    private final class ProgramList: @unchecked Sendable {  // used on the one event loop only
        let options: Desk.Options
        private(set) var programs: [DeskProgram] = []
        private var browsers: [DeskBrowser] = []
        private var count = 0
        /// Browsers for which a program was asked to connect, by a random number that cannot be guessed.
        private var expected: [String: DeskBrowser] = [:]

        init(_ options: Desk.Options) {
            self.options = options
        }

        // MARK: Programs

        /// Returns the end for a connection of a program: a link for the browser that waits for it, or the program itself.
        func end(ofProgram head: HTTPRequestHead) -> (@Sendable (Socket) -> any SocketEnd)? {
            guard let number = head.query("browser") else { return { DeskProgram($0, self) } }
            guard expected[number] != nil else { return nil }
            return { socket in
                let link = ProgramLink(socket, self.expected.removeValue(forKey: number))
                link.browser?.join(link)
                return link
            }
        }

        func add(_ program: DeskProgram) -> Int {
            programs.append(program)
            count += 1
            return count
        }

        /// Called when a program has sent its name.
        func announce(_ program: DeskProgram) {
            options.announce("Connected: \(program.description)")
            changed()
        }

        func remove(_ program: DeskProgram) {
            programs.removeAll { $0 === program }
            if !program.name.isEmpty { options.announce("Left: \(program.description)") }
            changed()
        }

        // MARK: Browsers

        /// Asks a program to connect, for a browser.
        func join(_ browser: DeskBrowser, to id: Int?) {
            guard let program = programs.first(where: { $0.id == id }) else { return }
            let number = Token().text
            expected[number] = browser
            program.askToConnect(number)
            browser.socket.channel.eventLoop.scheduleTask(in: .seconds(5)) {
                // The program could not connect.
                if self.expected.removeValue(forKey: number) != nil { self.join(browser, to: id) }
            }
        }

        func add(_ browser: DeskBrowser) {
            browsers.append(browser)
            browser.send(programs)
        }

        func remove(_ browser: DeskBrowser) {
            browsers.removeAll { $0 === browser }
            expected = expected.filter { $0.value !== browser }
        }

        private func changed() {
            for browser in browsers { browser.send(programs) }
        }
    }

    private final class DeskProgram: SocketEnd {
        private let socket: Socket
        private let list: ProgramList
        private(set) var id = 0
        private(set) var name = ""
        private var pid = 0
        private var system = ""

        init(_ socket: Socket, _ list: ProgramList) {
            (self.socket, self.list) = (socket, list)
            id = list.add(self)
        }

        var hasPulse: Bool { true }

        private var address: String { socket.channel.remoteAddress?.ipAddress ?? "" }

        var description: String { "\(name), pid \(pid), \(system), from \(address)" }

        func received(_ text: ByteBuffer) {
            struct Program: Decodable {
                let name: String
                let pid: Int
                let system: String
            }
            guard name.isEmpty,
                let program = try? JSONDecoder().decode(Program.self, from: Data(text.readableBytesView))
            else { return socket.close() }
            name = program.name.isEmpty ? "a program" : String(program.name.prefix(100))
            (pid, system) = (program.pid, String(program.system.prefix(100)))
            list.announce(self)
        }

        func closed() { list.remove(self) }

        func askToConnect(_ number: String) {
            var json = JSONText()
            json.object { $0.field("browser", number) }
            socket.send(json)
        }

        func write(to json: inout JSONText) {
            json.object { json in
                json.field("id", id)
                json.field("name", name)
                json.field("pid", pid)
                json.field("system", system)
                json.field("address", address)
            }
        }
    }

    /// A browser of a desk. Its messages are forwarded to the program to which it is joined.
    private final class DeskBrowser: SocketEnd, @unchecked Sendable {  // used on the one event loop only
        let socket: Socket
        private let list: ProgramList
        private let program: Int?
        private let dial: [String]
        private var link: ProgramLink?

        init(_ socket: Socket, _ list: ProgramList, _ program: Int?, dial: [String]) {
            (self.socket, self.list, self.dial) = (socket, list, dial)
            self.program = list.programs.contains { $0.id == program } ? program : nil
            list.add(self)
            list.join(self, to: program)
        }

        func send(_ programs: [DeskProgram]) {
            let named = programs.filter { !$0.name.isEmpty }
            socket.send(
                Messages.message("programs") { json in
                    json.array("programs", of: named) { $1.write(to: &$0) }
                    json.field("program", named.first { $0.id == program }?.id)
                    json.array("dial", of: dial) { $0.value($1) }
                    json.field("recording", list.options.recording?.name)
                })
        }

        func join(_ link: ProgramLink) {
            self.link = link
            writabilityChanged()
        }

        /// Called when the connection has ended, although the program may still run.
        func lost(_ lost: ProgramLink) {
            guard link === lost, socket.channel.isActive else { return }
            link = nil
            socket.read(true)
            socket.channel.eventLoop.scheduleTask(in: .seconds(1)) {
                if self.link == nil, self.socket.channel.isActive { self.list.join(self, to: self.program) }
            }
        }

        func received(_ text: ByteBuffer) { link?.socket.send(text) }

        /// Reads from the program as fast as the browser does.
        func writabilityChanged() { link?.socket.read(socket.isWritable) }

        func closed() {
            list.remove(self)
            link?.socket.close()
        }
    }

    /// The connection of a program for one browser. Its messages are forwarded to that browser.
    private final class ProgramLink: SocketEnd {
        let socket: Socket
        private(set) var browser: DeskBrowser?

        init(_ socket: Socket, _ browser: DeskBrowser?) {
            (self.socket, self.browser) = (socket, browser)
        }

        func received(_ text: ByteBuffer) { browser?.socket.send(text) }

        func writabilityChanged() { browser?.socket.read(socket.isWritable) }

        func closed() {
            browser?.lost(self)
            browser = nil
        }
    }
#endif
