import Foundation

/// Plays the story of the gateway. The exit code is 0 if each step caused what it should, and otherwise 1.
@main
struct GatewayCommand {
    static func main() async {
        do {
            guard try await Story.play(tell: { print($0) }) else { exit(1) }
        } catch {
            print("The story ended early: \(error)")
            exit(1)
        }
    }
}
