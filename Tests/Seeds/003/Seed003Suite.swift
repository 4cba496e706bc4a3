import SeedSupport
import Testing

/// The code of PiuPiu's README, block by block. A block stands between `// [003.n` and `// 003.n]`, as it is written there;
/// where it has a comment for what an app does, a test writes down that it came to that.
@MainActor
@Suite("PiuPiu's README", .serialized, .timeLimit(.minutes(1)))
struct Seed003 {}
