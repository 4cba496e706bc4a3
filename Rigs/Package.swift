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
    name: "PigeonRigs",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Pigeon", path: "..", traits: [.defaults, "AsyncHTTPClient", "Devtools", "Redis", "Server"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.30.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.8.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    ],
    targets: [
        .executableTarget(
            name: "rigs",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "PigeonCore", package: "Pigeon"),
                .product(name: "PigeonFleet", package: "Pigeon"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonOutbox", package: "Pigeon"),
                .product(name: "PigeonREST", package: "Pigeon"),
                .product(name: "PigeonRedis", package: "Pigeon"),
                .product(name: "PigeonSQLite", package: "Pigeon"),
            ],
            swiftSettings: settings
        )
    ],
    swiftLanguageModes: [.v6]
)
