import SeedSupport
import Testing

/// The code of Pigeon's README, block by block. Each block is between `// [000.n` and `// 000.n]`, as the README shows it; where
/// it has `// ...`, the missing lines were added. Tests in `Support/Readme` check what the README says about it.
///
/// The README in Chinese has the same blocks under the same numbers, with other indentation.
@MainActor
@Suite("Pigeon's README, in English and in Chinese", .serialized, .timeLimit(.minutes(1)), OwnSharedState())
struct Seed000 {}
