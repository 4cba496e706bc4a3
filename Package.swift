// swift-tools-version:6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

/// Where the system has no Combine.
let openCombinePlatforms: [Platform] = [.linux, .android, .windows, .wasi]

/// Of these, where there are dispatch queues, and Foundation with all its parts.
let dispatchPlatforms: [Platform] = [.linux, .android, .windows]

/// What `make apple-check` puts in the place of Apple's frameworks, so that code for them is checked where they are not.
/// `PIGEON_APPLE_CHECK=1` checks as on a phone, `PIGEON_APPLE_CHECK=macos` as on a Mac.
let standIns: [String] =
    switch Context.environment["PIGEON_APPLE_CHECK"] {
    case nil: []
    case "macos": ["Accessibility", "_CoreGraphics", "ImageIO", "SwiftUI", "AppKit", "Network"]
    default:
        [
            "Accessibility", "BackgroundTasks", "_CoreGraphics", "ImageIO", "SwiftUI", "UIKit", "WatchKit", "WidgetKit",
            "Network",
        ]
    }
let appleFrameworks = standIns.map { Target.Dependency(stringLiteral: $0) }

#if os(macOS)
    /// Declares to the App Store why the module uses certain API. Elsewhere it would only make a bundle.
    let privacyManifest: (exclude: [String], resources: [Resource]?) = ([], [.copy("PrivacyInfo.xcprivacy")])
    /// The name under which pkg-config knows where Homebrew has put hiredis. Debian puts it where compilers look.
    let hiredis: String? = "hiredis"
#else
    let privacyManifest: (exclude: [String], resources: [Resource]?) = (["PrivacyInfo.xcprivacy"], nil)
    let hiredis: String? = nil
#endif

let package = Package(
    name: "Pigeon",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Pigeon", targets: ["Pigeon"]),
        .library(name: "PigeonCore", targets: ["PigeonCore"]),
        .library(name: "PigeonStore", targets: ["PigeonStore"]),
        .library(name: "PigeonHTTP", targets: ["PigeonHTTP"]),
        .library(name: "PigeonREST", targets: ["PigeonREST"]),
        .library(name: "PigeonQueryUI", targets: ["PigeonQueryUI"]),
        .library(name: "PigeonUI", targets: ["PigeonUI"]),
        .library(name: "PigeonSQLite", targets: ["PigeonSQLite"]),
        .library(name: "PigeonDevtools", targets: ["PigeonDevtools"]),
        .library(name: "PigeonRedis", targets: ["PigeonRedis"]),
        .library(name: "PigeonServer", targets: ["PigeonServer"]),
        .library(name: "PigeonTesting", targets: ["PigeonTesting"]),
        .executable(name: "pigeon-devtools", targets: ["PigeonDevtoolsCommand"]),
    ],
    // A package is fetched only if a trait that needs it is enabled: `traits: []` fetches none.
    traits: [
        .default(enabledTraits: ["OpenCombine", "SQLite"]),
        .trait(
            name: "OpenCombine",
            description: "Publishers where there is no Combine. On Apple's platforms, it is fetched and not built."),
        .trait(name: "SQLite", description: "PigeonSQLite."),
        .trait(name: "AsyncHTTPClient", description: "Adds AsyncHTTPClientTransport to PigeonHTTP."),
        .trait(name: "Devtools", description: "PigeonDevtools, with its server."),
        .trait(name: "Redis", description: "Adds the system's hiredis and zlib to PigeonRedis."),
        .trait(
            name: "RedisTLS", description: "Adds TLS to hiredis, which must be version 1.0 or later, with OpenSSL.",
            enabledTraits: ["Redis"]),
        .trait(name: "Server", description: "Adds logs, metrics, traces and a service to PigeonServer."),
    ],
    dependencies: [
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.26.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.2.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
    ],
    targets: [
        // The system calls that a lock makes on Linux. Empty on other systems.
        .target(name: "CFutex"),
        .target(
            name: "PigeonBase",
            dependencies: ["CFutex"],
            swiftSettings: settings),
        .target(
            name: "PigeonCore",
            dependencies: ["PigeonBase"],
            exclude: privacyManifest.exclude,
            resources: privacyManifest.resources,
            swiftSettings: settings),
        .target(
            name: "CombineShim",
            dependencies: [
                "PigeonBase",
                .product(
                    name: "OpenCombine", package: "OpenCombine",
                    condition: .when(platforms: openCombinePlatforms, traits: ["OpenCombine"])),
                .product(
                    name: "OpenCombineFoundation", package: "OpenCombine",
                    condition: .when(platforms: dispatchPlatforms, traits: ["OpenCombine"])),
                .product(
                    name: "OpenCombineDispatch", package: "OpenCombine",
                    condition: .when(platforms: dispatchPlatforms, traits: ["OpenCombine"])),
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
            name: "PigeonREST", dependencies: ["PigeonCore", "PigeonHTTP", "CombineShim"] + appleFrameworks,
            swiftSettings: settings),
        // Depends on the engine and its queries only, so that an app without stores and resources does not link them.
        .target(
            name: "PigeonQueryUI", dependencies: ["Pigeon", "PigeonCore", "CombineShim"] + appleFrameworks,
            swiftSettings: settings),
        .target(
            name: "PigeonUI",
            dependencies: ["PigeonCore", "PigeonHTTP", "PigeonQueryUI", "PigeonREST", "PigeonStore", "CombineShim"]
                + appleFrameworks,
            swiftSettings: settings),
        .target(
            name: "PigeonSQLite",
            dependencies: [
                "PigeonCore", .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
            ],
            exclude: privacyManifest.exclude,
            resources: privacyManifest.resources,
            swiftSettings: settings
        ),
        .systemLibrary(
            name: "CHiredis", pkgConfig: hiredis, providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "PigeonRedis",
            dependencies: ["PigeonBase", "PigeonCore"]
                + ["CHiredis", "CZlib"].map { .target(name: $0, condition: .when(traits: ["Redis"])) },
            swiftSettings: settings,
            linkerSettings: ["hiredis_ssl", "ssl", "crypto"].map { .linkedLibrary($0, .when(traits: ["RedisTLS"])) }),
        .target(
            name: "PigeonServer",
            dependencies: [
                "PigeonBase", "PigeonCore",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Server"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Server"])),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Server"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: .when(traits: ["Server"])),
            ],
            swiftSettings: settings),
        .target(name: "PigeonTesting", dependencies: ["PigeonCore"], swiftSettings: settings),
        .target(
            name: "PigeonDevtools",
            dependencies: ["PigeonBase", "PigeonCore"]
                + ["NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket"].map {
                    .product(name: $0, package: "swift-nio", condition: .when(traits: ["Devtools"]))
                },
            resources: [.embedInCode("Page")], swiftSettings: settings),
        .executableTarget(
            name: "PigeonDevtoolsCommand", dependencies: ["PigeonDevtools"], swiftSettings: settings),
        // Shared by the tests: waiting for conditions, recording values, and a server on loopback.
        .target(
            name: "TestSupport", dependencies: ["PigeonBase", "PigeonCore"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .target(
            name: "TestServer",
            dependencies: [
                "PigeonHTTP", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/TestServer", swiftSettings: settings),
        .testTarget(
            name: "PigeonCoreTests", dependencies: ["PigeonCore", "PigeonTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "PigeonTests", dependencies: ["Pigeon", "PigeonTesting", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "PigeonStoreTests", dependencies: ["PigeonStore", "PigeonTesting", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "PigeonSQLiteTests",
            dependencies: [
                "PigeonSQLite", "PigeonTesting", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PigeonHTTPTests",
            dependencies: [
                "PigeonCore", "PigeonHTTP", "PigeonTesting", "TestServer", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PigeonRESTTests",
            dependencies: [
                "Pigeon", "PigeonCore", "PigeonHTTP", "PigeonREST", "PigeonSQLite", "PigeonTesting", "TestServer",
                "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PigeonDevtoolsTests",
            dependencies: [
                "PigeonCore", "PigeonDevtools", "PigeonHTTP", "PigeonSQLite", "PigeonTesting", "TestServer",
                "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PigeonRedisTests",
            dependencies: ["PigeonCore", "PigeonRedis", "PigeonTesting", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "PigeonServerTests",
            dependencies: [
                "PigeonCore", "PigeonServer", "PigeonTesting", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ReadmeTests",
            dependencies: [
                "Pigeon", "PigeonDevtools", "PigeonHTTP", "PigeonREST", "PigeonRedis", "PigeonSQLite", "PigeonServer",
                "PigeonStore", "PigeonTesting", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "PigeonTestingTests", dependencies: ["PigeonTesting"], swiftSettings: settings),
        // A module as new Xcode projects make it.
        .testTarget(
            name: "MainActorTests", dependencies: ["PigeonCore"],
            swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)]),
    ],
    swiftLanguageModes: [.v6]
)

// The public API of each library that this one succeeds, used once as old programs use it, in both language modes and without
// our settings. The folders of the Swift 5 targets are links to the others.
let successions: [(library: String, modules: [Target.Dependency])] = [
    ("Pigeon", ["Pigeon"]), ("StoreFlowable", ["PigeonStore", "PigeonCore"]), ("PiuPiu", ["PigeonHTTP"]),
    ("Siesta", ["PigeonREST", "PigeonCore"]),
]
package.targets += successions.flatMap { library, modules in
    [
        .testTarget(
            name: "DropIn\(library)Tests", dependencies: modules, path: "Tests/DropIn/\(library)",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "DropIn\(library)Swift5Tests", dependencies: modules, path: "Tests/DropIn/Swift5/\(library)",
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ]
}

if !standIns.isEmpty {
    // What is checked with stand-ins, and nothing else: the other tests have no use for them.
    package.targets.removeAll { $0.type == .test }
    let publishers: [Target.Dependency] = ["OpenCombine", "OpenCombineDispatch", "OpenCombineFoundation"].map {
        .product(name: $0, package: "OpenCombine")
    }
    let dependencies: [String: [Target.Dependency]] = [
        "SwiftUI": publishers + ["_CoreGraphics"], "UIKit": ["_CoreGraphics"], "ImageIO": ["_CoreGraphics"],
    ]
    // Written in Objective-C, without a word about `Sendable`.
    let old: [String: [SwiftSetting]] = ["BackgroundTasks": [.swiftLanguageMode(.v5)]]
    package.targets += standIns.map { name in
        .target(
            name: name, dependencies: dependencies[name] ?? [], path: "Tests/StandIns/\(name)",
            swiftSettings: settings + (old[name] ?? []))
    }
    // The example app, as its own manifest builds it.
    let app: [Target.Dependency] = ["PigeonHTTP", "PigeonSQLite", "PigeonUI"] + appleFrameworks
    package.targets += [
        .target(name: "Cards", dependencies: app, path: "Examples/Cards.swiftpm/Cards"),
        .executableTarget(name: "CardsApp", dependencies: ["Cards"] + app, path: "Examples/Cards.swiftpm/CardsApp"),
    ]
}

if standIns.contains("AppKit") {
    package.targets.append(
        .testTarget(
            name: "PigeonUIMacTests", dependencies: ["PigeonCore", "PigeonTesting", "PigeonUI"] + appleFrameworks,
            swiftSettings: settings))
}

if standIns.contains("UIKit") {
    let everything: [Target.Dependency] = [
        "Pigeon", "PigeonCore", "PigeonHTTP", "PigeonREST", "PigeonSQLite", "PigeonStore", "PigeonTesting", "PigeonUI",
    ]
    // Where Testing meets UIKit, the compiler wants this module as well.
    let frameworks = appleFrameworks + ["_Testing_UIKit"]
    package.targets += [
        .target(name: "_Testing_UIKit", path: "Tests/StandIns/_Testing_UIKit"),
        .testTarget(
            name: "StandInTests",
            dependencies: frameworks + [.product(name: "OpenCombine", package: "OpenCombine")],
            swiftSettings: settings),
        .testTarget(
            name: "PigeonQueryUITests", dependencies: ["PigeonQueryUI", "PigeonTesting", "TestSupport"] + frameworks,
            swiftSettings: settings),
        .testTarget(
            name: "PigeonUITests", dependencies: everything + frameworks + ["TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "CardsTests", dependencies: ["Cards"] + everything + frameworks, path: "Examples/Tests/CardsTests"),
        .testTarget(name: "DocumentationUITests", dependencies: everything + frameworks, swiftSettings: settings),
    ]
    // The documents that the library follows, each block as it stands there: built as an app is, without our settings.
    package.targets += [
        .target(
            name: "SeedSupport", dependencies: everything + appleFrameworks, path: "Tests/Seeds/Support",
            swiftSettings: settings)
    ]
    package.targets += ["000", "002", "003", "004"].map { seed in
        .testTarget(
            name: "Seed\(seed)Tests", dependencies: ["SeedSupport", "TestSupport"] + everything + frameworks,
            path: "Tests/Seeds/\(seed)")
    }
}

// `make tsan` builds only the tests that it runs: those that use the engine from many threads.
if Context.environment["PIGEON_TSAN"] != nil {
    let suites = ["Core", "Testing", "", "SQLite", "HTTP", "Store", "REST"].map { "Pigeon\($0)Tests" }
    package.targets.removeAll { $0.type == .test && !suites.contains($0.name) }
}

// Tests use `QueryLab`, which needs the systems of 2024. A test target cannot require newer systems than its package, and
// suites cannot be `@available`, so the compiler does not check availability in tests. `scripts/typecheck-apple` checks
// them for the systems of 2024 instead.
let appleSystems: [Platform] = [.iOS, .macOS, .macCatalyst, .tvOS, .watchOS, .visionOS]
for target in package.targets where target.type == .test {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .unsafeFlags(["-Xfrontend", "-disable-availability-checking"], .when(platforms: appleSystems))
        ]
}
