// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "screen",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Pigeon", path: "../pigeon")
    ],
    targets: [
        .executableTarget(
            name: "screen",
            dependencies: [
                .product(name: "Pigeon", package: "Pigeon"),
                .product(name: "PigeonSQLite", package: "Pigeon"),
            ])
    ]
)
