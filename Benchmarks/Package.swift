// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "livestore-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "livestore", path: ".."),
    .package(name: "livestore-server", path: "../Integrations/Server"),
    .package(name: "livestore-sqlite", path: "../Integrations/SQLite"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
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
    .executableTarget(
      name: "streams",
      dependencies: [
        .product(name: "LiveStore", package: "livestore"),
        .product(name: "LiveStoreServer", package: "livestore-server"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Sources/Streams"),
  ],
  swiftLanguageModes: [.v6])
