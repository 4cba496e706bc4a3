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
    /// True where views can be tested: on Apple's systems, which a Mac builds for, and with stand-ins.
    let hasViews = true
#else
    let hasViews = !standIns.isEmpty
#endif

#if os(macOS)
    /// Declares to the App Store why the module uses certain API. Elsewhere it would only make a bundle.
    let privacyManifest: (exclude: [String], resources: [Resource]?) = ([], [.copy("PrivacyInfo.xcprivacy")])
    /// The name under which pkg-config knows where Homebrew has put hiredis. Debian puts it where compilers look.
    let hiredis: String? = "hiredis"
#else
    let privacyManifest: (exclude: [String], resources: [Resource]?) = (["PrivacyInfo.xcprivacy"], nil)
    let hiredis: String? = nil
#endif

/// Products of another package, for builds with one of the traits.
func products(_ names: [String], of package: String, traits: Set<String>) -> [Target.Dependency] {
    names.map { .product(name: $0, package: package, condition: .when(traits: traits)) }
}

/// Products of another package, for tests, which are built with all traits.
func products(_ names: [String], of package: String) -> [Target.Dependency] {
    names.map { .product(name: $0, package: package) }
}

let grdb = products(["GRDB"], of: "GRDB.swift", traits: ["SQLite"])
let libraries: [String] = [
    "Pigeon", "PigeonCore", "PigeonOutbox", "PigeonFleet", "PigeonStore", "PigeonHTTP", "PigeonFutures", "PigeonREST",
    "PigeonQueryUI", "PigeonUI", "PigeonSQLite", "PigeonDevtools", "PigeonRedis", "PigeonServer", "PigeonTesting",
]

let package = Package(
    name: "Pigeon",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: libraries.map { .library(name: $0, targets: [$0]) },
    // A package is fetched only if a trait that needs it is enabled: `traits: []` fetches none.
    traits: [
        .default(enabledTraits: ["OpenCombine", "SQLite"]),
        .trait(
            name: "OpenCombine",
            description: "Publishers where there is no Combine. On Apple's platforms, it is fetched and not built."),
        .trait(name: "SQLite", description: "PigeonSQLite."),
        .trait(name: "AsyncHTTPClient", description: "Adds AsyncHTTPClientTransport to PigeonHTTP."),
        .trait(name: "Devtools", description: "Adds the page and its server to PigeonDevtools."),
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
        .systemLibrary(
            name: "CHiredis", pkgConfig: hiredis, providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    ],
    swiftLanguageModes: [.v6]
)
package.products.append(.executable(name: "pigeon-devtools", targets: ["PigeonDevtoolsCommand"]))

let modules: [Target] = [
    .target(name: "PigeonBase", dependencies: ["CFutex"]),
    .target(
        name: "PigeonCore", dependencies: ["PigeonBase"], exclude: privacyManifest.exclude,
        resources: privacyManifest.resources),
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
        ]),
    .target(name: "PigeonOutbox", dependencies: ["PigeonBase", "PigeonCore"]),
    .target(name: "PigeonFleet", dependencies: ["PigeonBase", "PigeonCore"]),
    .target(name: "Pigeon", dependencies: ["PigeonCore", "PigeonOutbox", "CombineShim"]),
    .target(name: "PigeonStore", dependencies: ["PigeonCore", "PigeonOutbox", "CombineShim"]),
    .target(
        name: "PigeonHTTP",
        dependencies: ["PigeonBase"]
            + products(["AsyncHTTPClient"], of: "async-http-client", traits: ["AsyncHTTPClient"])
            + products(["NIOCore", "NIOHTTP1", "NIOPosix"], of: "swift-nio", traits: ["AsyncHTTPClient"])
            + products(["NIOHTTPCompression"], of: "swift-nio-extras", traits: ["AsyncHTTPClient"])),
    .target(name: "PigeonFutures", dependencies: ["PigeonBase", "PigeonHTTP", "CombineShim"]),
    .target(
        name: "PigeonREST", dependencies: ["PigeonCore", "PigeonHTTP", "PigeonOutbox", "CombineShim"] + appleFrameworks),
    // Depends on the engine and its queries only, so that an app without stores and resources does not link them.
    .target(
        name: "PigeonQueryUI", dependencies: ["Pigeon", "PigeonCore", "PigeonOutbox", "CombineShim"] + appleFrameworks),
    .target(
        name: "PigeonUI",
        dependencies: ["PigeonCore", "PigeonHTTP", "PigeonQueryUI", "PigeonREST", "PigeonStore", "CombineShim"]
            + appleFrameworks),
    .target(
        name: "PigeonSQLite", dependencies: ["PigeonCore", "PigeonOutbox"] + grdb, exclude: privacyManifest.exclude,
        resources: privacyManifest.resources),
    .target(
        name: "PigeonRedis",
        dependencies: ["PigeonBase", "PigeonCore", "PigeonFleet"]
            + ["CHiredis", "CZlib"].map { .target(name: $0, condition: .when(traits: ["Redis"])) },
        linkerSettings: ["hiredis_ssl", "ssl", "crypto"].map { .linkedLibrary($0, .when(traits: ["RedisTLS"])) }),
    .target(
        name: "PigeonServer",
        dependencies: ["PigeonBase", "PigeonCore", "PigeonFleet", "PigeonOutbox"]
            + products(["Logging"], of: "swift-log", traits: ["Server"])
            + products(["Metrics"], of: "swift-metrics", traits: ["Server"])
            + products(["Tracing"], of: "swift-distributed-tracing", traits: ["Server"])
            + products(["ServiceLifecycle"], of: "swift-service-lifecycle", traits: ["Server"])),
    .target(name: "PigeonTesting", dependencies: ["PigeonCore", "PigeonFleet", "PigeonOutbox"]),
    .target(
        name: "PigeonDevtools",
        dependencies: ["PigeonBase", "PigeonCore", "PigeonOutbox", "PigeonTesting"]
            + products(["NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket"], of: "swift-nio", traits: ["Devtools"]),
        resources: [.embedInCode("Page")]),
    .executableTarget(name: "PigeonDevtoolsCommand", dependencies: ["PigeonDevtools"]),
    // The rules of the engine, which the simulation of PigeonTesting checks in the tests of this package.
    .target(
        name: "EngineSimulation", dependencies: ["PigeonBase", "PigeonCore", "PigeonTesting"],
        path: "Tests/EngineSimulation"),
    // Shared by the tests: waiting for conditions, recording values, and a server on loopback.
    .target(
        name: "TestSupport", dependencies: ["PigeonBase", "PigeonCore", "PigeonOutbox"], path: "Tests/TestSupport"),
    .target(
        name: "TestServer",
        dependencies: ["PigeonHTTP", "TestSupport"]
            + products(["NIOCore", "NIOPosix", "NIOHTTP1"], of: "swift-nio"),
        path: "Tests/TestServer"),
]

let suites: [(name: String, dependencies: [Target.Dependency])] = [
    ("PigeonCoreTests", ["PigeonCore", "PigeonFleet", "PigeonOutbox", "PigeonTesting", "TestSupport"]),
    ("PigeonOutboxTests", ["PigeonCore", "PigeonOutbox", "PigeonTesting", "TestSupport"]),
    ("PigeonFleetTests", ["PigeonBase", "PigeonCore", "PigeonFleet", "PigeonTesting", "TestSupport"]),
    ("PigeonTests", ["Pigeon", "PigeonTesting", "TestSupport"]),
    ("PigeonStoreTests", ["PigeonOutbox", "PigeonStore", "PigeonTesting", "TestSupport"]),
    ("PigeonSQLiteTests", ["PigeonCore", "PigeonOutbox", "PigeonSQLite", "PigeonTesting", "TestSupport"] + grdb),
    ("PigeonHTTPTests", ["PigeonCore", "PigeonHTTP", "PigeonOutbox", "PigeonTesting", "TestServer", "TestSupport"]),
    ("PigeonFuturesTests", ["PigeonFutures", "PigeonTesting", "TestServer", "TestSupport"]),
    (
        "PigeonRESTTests",
        [
            "Pigeon", "PigeonCore", "PigeonHTTP", "PigeonREST", "PigeonSQLite", "PigeonTesting", "TestServer",
            "TestSupport",
        ]
    ),
    (
        "PigeonDevtoolsTests",
        [
            "PigeonCore", "PigeonDevtools", "PigeonHTTP", "PigeonOutbox", "PigeonSQLite", "PigeonTesting", "TestServer",
            "TestSupport",
        ]
            + products(["NIOCore", "NIOPosix"], of: "swift-nio")
    ),
    ("PigeonRedisTests", ["PigeonCore", "PigeonFleet", "PigeonRedis", "PigeonTesting", "TestSupport"]),
    (
        "PigeonServerTests",
        ["PigeonCore", "PigeonFleet", "PigeonServer", "PigeonTesting", "TestSupport"]
            + products(["Logging", "InMemoryLogging"], of: "swift-log")
            + products(["MetricsTestKit"], of: "swift-metrics")
            + products(["InMemoryTracing"], of: "swift-distributed-tracing")
            + products(["ServiceLifecycle"], of: "swift-service-lifecycle")
    ),
    (
        "ReadmeTests",
        [
            "Pigeon", "PigeonDevtools", "PigeonFleet", "PigeonFutures", "PigeonHTTP", "PigeonOutbox", "PigeonREST",
            "PigeonRedis", "PigeonSQLite", "PigeonServer", "PigeonStore", "PigeonTesting", "TestSupport",
        ] + grdb
            + products(["Logging"], of: "swift-log")
            + products(["Metrics"], of: "swift-metrics")
            + products(["Tracing"], of: "swift-distributed-tracing")
            + products(["ServiceLifecycle", "UnixSignals"], of: "swift-service-lifecycle")
    ),
    ("PigeonTestingTests", ["EngineSimulation", "PigeonCore", "PigeonFleet", "PigeonTesting", "TestSupport"]),
]

package.targets += modules + suites.map { .testTarget(name: $0.name, dependencies: $0.dependencies) }
for target in package.targets where target.type != .system && target.name != "CFutex" {
    target.swiftSettings = settings
}

// A module as new Xcode projects make it.
package.targets.append(
    .testTarget(
        name: "MainActorTests", dependencies: ["PigeonCore", "TestSupport"],
        swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)]))

// The public API of each library that this one succeeds, used once as old programs use it, in both language modes and without
// our settings. The folders of the Swift 5 targets are links to the others.
let successions: [(library: String, modules: [Target.Dependency])] = [
    ("Pigeon", ["Pigeon"]), ("StoreFlowable", ["PigeonStore", "PigeonCore"]), ("PiuPiu", ["PigeonFutures"]),
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

// Where Testing meets UIKit, the compiler wants this module as well.
let frameworks = appleFrameworks + (standIns.contains("UIKit") ? ["_Testing_UIKit"] : [])

if hasViews {
    // The same tests with stand-ins and over the real SwiftUI and UIKit. What only stand-ins can do, such as reading a
    // `Text`, is in the targets that have them in their names.
    package.targets += [
        .target(
            name: "ViewSupport", dependencies: appleFrameworks, path: "Tests/ViewSupport",
            exclude: [standIns.isEmpty ? "StandIn" : "Apple"], swiftSettings: settings),
        .testTarget(
            name: "PigeonQueryUITests",
            dependencies: ["CombineShim", "PigeonBase", "PigeonCore", "PigeonQueryUI", "PigeonTesting"]
                + ["TestSupport", "ViewSupport"] + frameworks,
            swiftSettings: settings),
        .testTarget(
            name: "PigeonUITests",
            dependencies: ["PigeonCore", "PigeonHTTP", "PigeonREST", "PigeonStore", "PigeonTesting", "PigeonUI"]
                + ["TestSupport", "ViewSupport"] + frameworks,
            swiftSettings: settings),
    ]
}

if standIns.contains("AppKit") {
    package.targets.append(
        .testTarget(
            name: "PigeonUIMacStandInTests",
            dependencies: ["PigeonCore", "PigeonTesting", "PigeonUI", "TestSupport"] + appleFrameworks,
            swiftSettings: settings))
}

if standIns.contains("UIKit") {
    let everything: [Target.Dependency] = [
        "Pigeon", "PigeonCore", "PigeonFutures", "PigeonHTTP", "PigeonREST", "PigeonSQLite", "PigeonStore",
        "PigeonTesting", "PigeonUI",
    ]
    package.targets += [
        .target(name: "_Testing_UIKit", path: "Tests/StandIns/_Testing_UIKit"),
        .testTarget(
            name: "StandInTests",
            dependencies: frameworks + ["TestSupport", .product(name: "OpenCombine", package: "OpenCombine")],
            swiftSettings: settings),
        .testTarget(
            name: "PigeonQueryUIStandInTests",
            dependencies: ["PigeonBase", "PigeonQueryUI", "PigeonTesting", "TestSupport"] + frameworks,
            swiftSettings: settings),
        .testTarget(
            name: "PigeonUIStandInTests", dependencies: everything + frameworks + ["TestSupport", "ViewSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "CardsTests", dependencies: ["Cards"] + everything + frameworks, path: "Examples/Tests/CardsTests"),
        .testTarget(name: "DocumentationStandInTests", dependencies: everything + frameworks, swiftSettings: settings),
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
    let sanitized = ["Core", "Outbox", "Fleet", "Testing", "", "SQLite", "HTTP", "Futures", "Store", "REST"].map {
        "Pigeon\($0)Tests"
    }
    package.targets.removeAll { $0.type == .test && !sanitized.contains($0.name) }
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
