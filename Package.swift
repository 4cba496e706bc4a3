// swift-tools-version:6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

let openCombinePlatforms: [Platform] = [.linux, .android, .windows, .wasi]

let package = Package(
    name: "Pigeon",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Pigeon", targets: ["Pigeon"]),
        .library(name: "PigeonCore", targets: ["PigeonCore"]),
        .library(name: "PigeonStore", targets: ["PigeonStore"]),
        .library(name: "PigeonHTTP", targets: ["PigeonHTTP"]),
        .library(name: "PigeonREST", targets: ["PigeonREST"]),
        .library(name: "PigeonSQLite", targets: ["PigeonSQLite"]),
        .library(name: "PigeonTesting", targets: ["PigeonTesting"]),
    ],
    traits: [
        .trait(name: "AsyncHTTPClient", description: "Adds AsyncHTTPClientTransport to PigeonHTTP.")
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-collections", from: "1.2.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.26.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    ],
    targets: [
        .target(
            name: "PigeonBase", dependencies: [.product(name: "HeapModule", package: "swift-collections")],
            swiftSettings: settings),
        .target(
            name: "PigeonCore",
            dependencies: [
                "PigeonBase",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "CombineShim",
            dependencies: [
                "PigeonBase",
                .product(
                    name: "OpenCombine", package: "OpenCombine",
                    condition: .when(platforms: openCombinePlatforms)),
                .product(
                    name: "OpenCombineFoundation", package: "OpenCombine",
                    condition: .when(platforms: openCombinePlatforms)),
                .product(
                    name: "OpenCombineDispatch", package: "OpenCombine",
                    condition: .when(platforms: openCombinePlatforms)),
            ],
            swiftSettings: settings
        ),
        .target(name: "Pigeon", dependencies: ["PigeonCore", "CombineShim"], swiftSettings: settings),
        .target(name: "PigeonStore", dependencies: ["PigeonCore", "CombineShim"], swiftSettings: settings),
        .target(
            name: "PigeonHTTP",
            dependencies: [
                "PigeonBase", "CombineShim",
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client",
                    condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(traits: ["AsyncHTTPClient"])),
                .product(
                    name: "NIOHTTPCompression", package: "swift-nio-extras",
                    condition: .when(traits: ["AsyncHTTPClient"])),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PigeonREST", dependencies: ["PigeonCore", "PigeonHTTP", "CombineShim"], swiftSettings: settings),
        .target(
            name: "PigeonSQLite",
            dependencies: ["PigeonCore", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: settings
        ),
        .target(name: "PigeonTesting", dependencies: ["PigeonCore"], swiftSettings: settings),
        .testTarget(
            name: "PigeonCoreTests", dependencies: ["PigeonCore", "PigeonTesting"], swiftSettings: settings),
        .testTarget(name: "PigeonTests", dependencies: ["Pigeon", "PigeonTesting"], swiftSettings: settings),
        .testTarget(
            name: "PigeonStoreTests", dependencies: ["PigeonStore", "PigeonTesting"], swiftSettings: settings),
        .testTarget(
            name: "PigeonSQLiteTests", dependencies: ["PigeonSQLite", "PigeonTesting"], swiftSettings: settings),
        .testTarget(
            name: "PigeonHTTPTests",
            dependencies: [
                "PigeonCore", "PigeonHTTP", "PigeonTesting",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PigeonRESTTests",
            dependencies: [
                "Pigeon", "PigeonCore", "PigeonHTTP", "PigeonREST", "PigeonSQLite", "PigeonTesting",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ReadmeTests",
            dependencies: ["Pigeon", "PigeonHTTP", "PigeonREST", "PigeonSQLite", "PigeonStore", "PigeonTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "PigeonTestingTests", dependencies: ["PigeonTesting"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
