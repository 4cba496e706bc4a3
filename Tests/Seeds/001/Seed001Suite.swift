import SeedSupport
import Testing

/// The code of Pigeon's README in Chinese, block by block. A block stands between `// [001.n` and `// 001.n]`, as it is written there;
/// where it has `// ...`, what is missing was filled in. What the README says of it is tested in `Support/Readme`.
@MainActor
@Suite("Pigeon's README in Chinese", .serialized, .timeLimit(.minutes(1)), OwnSharedState())
struct Seed001 {}
