import Foundation
import PigeonFutures
import Testing

// "Creating your own ResponseFuture"
func postsDecodedElsewhere(_ response: Response<Data?>) -> ResponseFuture<[Post]> {
    // [003.13
    return ResponseFuture<[Post]>(action: { future in
        // This is an example of how a future is executed and
        // fulfilled.
        DispatchQueue.global(qos: .userInitiated).async {
            // lets make an expensive operation on a background thread.
            // The below is just an example of how you can parse on a seperate thread.

            do {
                // Do an expensive operation here ....
                let posts = try response.decode([Post].self)

                DispatchQueue.main.async {
                    // We should syncronyze the result back to the main thread.
                    future.succeed(with: posts)
                }
            } catch {
                // We can handle any errors as well.
                DispatchQueue.main.async {
                    // We should syncronize the error to the main thread.
                    future.fail(with: error)
                }
            }
        }
    })
    // 003.13]
}

extension Seed003 {
    @MainActor
    struct OwnFutures {
        @Test func `what is decoded in another thread is there on the main one`() async {
            let controller = ViewController()
            postsDecodedElsewhere(.made("[\(Asked.post)]")).response(controller.show).send()
            #expect(await controller.journal.take(until: "posts [7]") == ["posts [7]"])
        }

        @Test func `what cannot be decoded there is the future's error`() async {
            await #expect(throws: SerializationError.self) { try await postsDecodedElsewhere(.made("{")).value }
        }
    }
}
