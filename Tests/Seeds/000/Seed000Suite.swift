import SeedSupport
import Testing

/// The code of Pigeon's README, block by block. A block stands between `// [000.n` and `// 000.n]`, as it is written there;
/// where it has `// ...`, what is missing was filled in. What the README says of it is tested in `Support/Readme`.
@MainActor
@Suite("Pigeon's README", .serialized, .timeLimit(.minutes(1)), OwnSharedState())
struct Seed000 {}
