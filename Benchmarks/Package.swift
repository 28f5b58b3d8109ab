// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "livestore-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "livestore", path: ".."),
    .package(name: "livestore-sqlite", path: "../Integrations/SQLite"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .target(name: "CMemory"),
    .executableTarget(
      name: "figures",
      dependencies: [
        .product(name: "LiveStore", package: "livestore"),
        .product(name: "LiveStoreObservation", package: "livestore"),
      ],
      path: "Sources/Figures"),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        .product(name: "LiveStore", package: "livestore"),
        .product(name: "LiveStoreObservation", package: "livestore"),
        .product(name: "LiveStoreSQLite", package: "livestore-sqlite"),
        "CMemory",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HashTreeCollections", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Sources/Benchmarks",
      swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    .executableTarget(
      name: "regressions",
      dependencies: [.product(name: "LiveStore", package: "livestore")],
      path: "Sources/Regressions"),
  ],
  swiftLanguageModes: [.v6])
