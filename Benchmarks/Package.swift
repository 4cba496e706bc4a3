// swift-tools-version:6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
    name: "PigeonBenchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Pigeon", path: "..", traits: [.defaults, "AsyncHTTPClient", "Devtools", "Redis", "Server"]),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.8.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    ],
    targets: [
        // Swift's Glibc module does not have malloc.h.
        .target(name: "CHeap"),
        .systemLibrary(name: "CRedisFloor", pkgConfig: "hiredis"),
        // Reads the totals of the library in Counting, which the package does not build: it is loaded before all others.
        .target(name: "CCounts"),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CCounts",
                "CHeap",
                "CRedisFloor",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Pigeon", package: "Pigeon"),
                .product(name: "PigeonCore", package: "Pigeon"),
                .product(name: "PigeonFleet", package: "Pigeon"),
                .product(name: "PigeonFutures", package: "Pigeon"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonOutbox", package: "Pigeon"),
                .product(name: "PigeonREST", package: "Pigeon"),
                .product(name: "PigeonRedis", package: "Pigeon"),
                .product(name: "PigeonSQLite", package: "Pigeon"),
                .product(name: "PigeonStore", package: "Pigeon"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "load",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "PigeonCore", package: "Pigeon"),
                .product(name: "PigeonFleet", package: "Pigeon"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonRedis", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
