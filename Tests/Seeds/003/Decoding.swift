import Foundation
import PigeonFutures
import SeedSupport
import Testing

/// Where the examples print.
private let printed = Journal()

private func print(_ value: some Any) {
    printed.add("\(value)")
}

extension ViewController {
    // "Unwrapping Data"
    func unwrapData() {
        // [003.19
        dispatcher.future(from: request).response({ response in
            let data = try response.unwrapData()

            // do something with data.
            print(data)
        }).error({ error in
            // Triggered when the data object is not there.
            self.journal.add("error \(error)")
        }).send()
        // 003.19]
    }

    // "Decode String"
    func decodeString() {
        // [003.20
        dispatcher.future(from: request).response({ response in
            let string = try response.decodeString(encoding: .utf8)

            // do something with string.
            print(string)
        }).error({ error in
            // Triggered when decoding fails.
            self.journal.add("error \(error)")
        }).send()
        // 003.20]
    }

    // "Decode Decodable"
    func decodeDecodable() {
        // [003.21
        dispatcher.future(from: request).response({ response in
            let posts = try response.decode([Post].self)

            // do something with the decodable object.
            print(posts)
        }).error({ error in
            // Triggered when decoding fails.
            self.journal.add("error \(error)")
        }).send()
        // 003.21]
    }
}

extension Seed003 {
    @MainActor
    struct Decoding {
        private let examples = [ViewController.unwrapData, ViewController.decodeString, ViewController.decodeDecodable]

        @Test func `bytes, text and values are there without an optional`() async {
            let body = "[\(Asked.post)]"
            for (example, line) in zip(examples, ["\(Data(body.utf8))", body, "\([Post(id: 7, userId: 3)])"]) {
                example(ViewController(Asked(body)))()
                #expect(await printed.take(until: line) == [line])
            }
        }

        @Test func `an answer without a body triggers the error callback`() async {
            for example in examples {
                let controller = ViewController(Asked(""))
                example(controller)()
                let line = "error \(SerializationError.unexpectedEmptyResponse)"
                #expect(await controller.journal.take(until: line) == [line])
            }
            #expect(printed.take() == [])
        }
    }
}
