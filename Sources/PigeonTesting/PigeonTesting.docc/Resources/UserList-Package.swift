// swift-tools-version:6.2
import PackageDescription

let package = Package(
    name: "TutorialList",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Pigeon", path: "../pigeon")
    ],
    targets: [
        .target(
            name: "TutorialList",
            dependencies: [.product(name: "Pigeon", package: "Pigeon")]),
        .testTarget(
            name: "TutorialListTests",
            dependencies: [
                "TutorialList",
                .product(name: "PigeonTesting", package: "Pigeon"),
            ]),
    ]
)
