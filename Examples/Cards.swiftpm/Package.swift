// swift-tools-version: 6.2
import PackageDescription

// Xcode opens this folder as an app for iPhone and iPad, and swift run starts it on a Mac. Swift Playgrounds on an iPad
// cannot open it: an app there reaches no folder outside its own, where the library is. The library's own manifest compiles
// and tests the app against stand-ins: make apple-check.
#if canImport(AppleProductTypes)
    import AppleProductTypes

    let app: Product = .iOSApplication(
        name: "Cards",
        targets: ["CardsApp"],
        bundleIdentifier: "dev.pigeon.cards",
        displayVersion: "1.0",
        bundleVersion: "1",
        appIcon: .placeholder(icon: .images),
        accentColor: .presetColor(.orange),
        supportedDeviceFamilies: [.pad, .phone],
        supportedInterfaceOrientations: [.portrait, .landscapeLeft, .landscapeRight]
    )
#else
    let app: Product = .executable(name: "Cards", targets: ["CardsApp"])
#endif

let pigeon: [Target.Dependency] = ["PigeonHTTP", "PigeonSQLite", "PigeonUI"].map {
    .product(name: $0, package: "Pigeon")
}

let package = Package(
    name: "Cards",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [app],
    dependencies: [.package(name: "Pigeon", path: "../..")],
    targets: [
        .target(name: "Cards", dependencies: pigeon, path: "Cards"),
        .executableTarget(name: "CardsApp", dependencies: ["Cards"], path: "CardsApp"),
    ],
    swiftLanguageModes: [.v6]
)
