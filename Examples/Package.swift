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
    name: "PigeonExamples",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .executable(name: "bookshelf-demo", targets: ["BookshelfDemo"]),
        .executable(name: "demo", targets: ["Demo"]),
        .library(name: "DemoServer", targets: ["DemoServer"]),
        .executable(name: "demo-server", targets: ["DemoServerCommand"]),
        .executable(name: "gateway", targets: ["GatewayCommand"]),
        .executable(name: "devtools-world", targets: ["DevtoolsWorld"]),
        .executable(name: "github-browser", targets: ["GitHubBrowserCommand"]),
        .executable(name: "parcels", targets: ["ParcelsCommand"]),
        .executable(name: "repository-demo", targets: ["RepositoryDemo"]),
        .executable(name: "tutorial-screen", targets: ["TutorialScreen"]),
    ],
    dependencies: [
        .package(name: "Pigeon", path: "..", traits: [.defaults, "Devtools", "Redis", "Server"]),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.9.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.9.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.8.0"),
    ],
    targets: [
        .target(
            name: "Bookshelf",
            dependencies: [
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "PigeonCore", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "BookshelfDemo",
            dependencies: [
                "Bookshelf",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "PigeonCore", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "Demo",
            dependencies: [
                "DemoServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "Pigeon", package: "Pigeon"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonSQLite", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "DevtoolsWorld",
            dependencies: [
                "DemoHTTP", "DemoServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "PigeonCore", package: "Pigeon"),
                .product(name: "PigeonDevtools", package: "Pigeon"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonOutbox", package: "Pigeon"),
                .product(name: "PigeonSQLite", package: "Pigeon"),
                .product(name: "PigeonTesting", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "DemoHTTP",
            dependencies: [
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "DemoServer",
            dependencies: [
                "DemoHTTP",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "DemoServerCommand",
            dependencies: [
                "DemoServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "FileCache", dependencies: [.product(name: "PigeonCore", package: "Pigeon")], swiftSettings: settings),
        .target(
            name: "Gateway",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "PigeonCore", package: "Pigeon"),
                .product(name: "PigeonFleet", package: "Pigeon"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonServer", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "GatewayCommand",
            dependencies: [
                "Gateway",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "PigeonCore", package: "Pigeon"),
                .product(name: "PigeonFleet", package: "Pigeon"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonRedis", package: "Pigeon"),
                .product(name: "PigeonServer", package: "Pigeon"),
                .product(name: "PigeonSQLite", package: "Pigeon"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "GitHubAPI",
            dependencies: [
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "PigeonREST", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "GitHubBrowser",
            dependencies: ["GitHubAPI", .product(name: "PigeonREST", package: "Pigeon")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "GitHubBrowserCommand",
            dependencies: [
                "DemoHTTP", "GitHubAPI", "GitHubBrowser", "GitHubServer", "TerminalKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "PigeonREST", package: "Pigeon"),
                .product(name: "PigeonSQLite", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "GitHubServer",
            dependencies: [
                "DemoHTTP",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Parcels",
            dependencies: [
                .product(name: "PigeonCore", package: "Pigeon"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonSQLite", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "ParcelsCommand",
            dependencies: [
                "ParcelServer", "Parcels",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "PigeonCore", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "ParcelServer",
            dependencies: [
                "DemoHTTP",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "People",
            dependencies: [
                .product(name: "Pigeon", package: "Pigeon"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonUI", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "PictureLoads", dependencies: [.product(name: "PigeonCore", package: "Pigeon")],
            swiftSettings: settings),
        .target(
            name: "Repository",
            dependencies: [
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonStore", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "RepositoryDemo",
            dependencies: [
                "DemoServer", "Repository",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonStore", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .target(name: "TerminalKit", swiftSettings: settings),
        .executableTarget(name: "TerminalProbe", dependencies: ["TerminalKit"], swiftSettings: settings),
        .target(
            name: "TutorialList", dependencies: [.product(name: "Pigeon", package: "Pigeon")], swiftSettings: settings),
        .target(name: "PseudoTerminals", path: "Tests/PseudoTerminals", swiftSettings: settings),
        .testTarget(
            name: "BookshelfTests",
            dependencies: [
                "Bookshelf", "BookshelfDemo",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "PigeonCore", package: "Pigeon"),
                .product(name: "PigeonTesting", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DemoTests", dependencies: ["Demo", "DemoServer", "PseudoTerminals"], swiftSettings: settings),
        .testTarget(
            name: "DemoServerTests",
            dependencies: [
                "DemoHTTP", "DemoServer",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FileCacheTests",
            dependencies: [
                "FileCache",
                .product(name: "PigeonCore", package: "Pigeon"),
                .product(name: "PigeonTesting", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Gateway", "GatewayCommand", "PseudoTerminals",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "PigeonCore", package: "Pigeon"),
                .product(name: "PigeonFleet", package: "Pigeon"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonServer", package: "Pigeon"),
                .product(name: "PigeonTesting", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "GitHubBrowserTests",
            dependencies: [
                "DemoHTTP", "GitHubAPI", "GitHubBrowser", "GitHubBrowserCommand", "GitHubServer",
                "PseudoTerminals", "TerminalKit",
                .product(name: "PigeonREST", package: "Pigeon"),
                .product(name: "PigeonTesting", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "GitHubServerTests",
            dependencies: [
                "DemoHTTP", "GitHubServer",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ParcelsTests",
            dependencies: [
                "DemoHTTP", "ParcelServer", "Parcels", "ParcelsCommand", "PseudoTerminals",
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "PigeonCore", package: "Pigeon"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonSQLite", package: "Pigeon"),
                .product(name: "PigeonTesting", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PeopleTests",
            dependencies: [
                "People",
                .product(name: "Pigeon", package: "Pigeon"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonTesting", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PictureLoadsTests",
            dependencies: [
                "PictureLoads",
                .product(name: "PigeonCore", package: "Pigeon"),
                .product(name: "PigeonTesting", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RepositoryDemoTests",
            dependencies: [
                "DemoServer", "Repository", "RepositoryDemo",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "PigeonHTTP", package: "Pigeon"),
                .product(name: "PigeonStore", package: "Pigeon"),
                .product(name: "PigeonTesting", package: "Pigeon"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TerminalKitTests", dependencies: ["PseudoTerminals", "TerminalKit", "TerminalProbe"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// The tutorials, step by step, built as an app is: without our settings. The last step is what a tutorial ends in.
package.targets += (1...6).map { step in
    .executableTarget(
        name: step == 6 ? "TutorialScreen" : "TutorialScreen\(step)",
        dependencies: [
            .product(name: "Pigeon", package: "Pigeon"),
            .product(name: "PigeonSQLite", package: "Pigeon"),
        ],
        path: "Sources/TutorialScreen/Step\(step)")
}
package.targets += (1...4).map { step in
    .testTarget(
        name: "TutorialList\(step)Tests",
        dependencies: [
            "TutorialList",
            .product(name: "Pigeon", package: "Pigeon"),
            .product(name: "PigeonTesting", package: "Pigeon"),
        ],
        path: "Tests/TutorialListTests/Step\(step)")
}
package.targets.append(
    .testTarget(
        name: "TutorialScreenTests", dependencies: ["PseudoTerminals", "TutorialScreen"], swiftSettings: settings))
