// swift-tools-version:6.2
import PackageDescription

/// Libraries that are measured if an environment variable has the path of a checkout.
let peers = [
    (variable: "PIGEON_PEER_SWIFT_OPERATION", package: "swift-operation", product: "Operation"),
    (variable: "PIGEON_PEER_CACHE", package: "Cache", product: "Cache"),
]
let given = peers.compactMap { peer in
    Context.environment[peer.variable].map { path in (path: path, package: peer.package, product: peer.product) }
}

let package = Package(
    name: "PigeonPeers",
    platforms: [.macOS(.v15)],
    dependencies: [
        // With the trait of the benchmarks, whose build is then used again.
        .package(name: "Pigeon", path: "../..", traits: [.defaults, "AsyncHTTPClient", "Devtools", "Redis", "Server"]),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.8.0"),
    ] + given.map { .package(name: $0.package, path: $0.path) },
    targets: [
        .executableTarget(
            name: "peers",
            dependencies: [
                .product(name: "PigeonCore", package: "Pigeon"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ] + given.map { .product(name: $0.product, package: $0.package) },
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableUpcomingFeature("InferIsolatedConformances"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
