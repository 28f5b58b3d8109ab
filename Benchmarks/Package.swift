// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "livestore-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "livestore", path: "..")],
  targets: [
    .executableTarget(
      name: "figures",
      dependencies: [
        .product(name: "LiveStore", package: "livestore"),
        .product(name: "LiveStoreObservation", package: "livestore"),
      ],
      path: "Sources/Figures")
  ],
  swiftLanguageModes: [.v6])
