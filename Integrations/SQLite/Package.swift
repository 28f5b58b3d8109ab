// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "livestore-sqlite",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "LiveStoreSQLite", targets: ["LiveStoreSQLite"]),
    .executable(name: "livestore-sqlite", targets: ["livestore-sqlite"]),
  ],
  dependencies: [
    .package(name: "livestore", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    // For tests alone.
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
  ],
  targets: [
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .target(
      name: "LiveStoreSQLite",
      dependencies: [
        "CSQLite", .product(name: "LiveStore", package: "livestore"),
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .executableTarget(
      name: "livestore-sqlite",
      dependencies: [
        "LiveStoreSQLite", .product(name: "LiveStore", package: "livestore"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .testTarget(
      name: "ToolTests",
      dependencies: [
        "LiveStoreSQLite", "livestore-sqlite", "Programs", "SQLiteTestSupport",
        .product(name: "LiveStore", package: "livestore"),
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .target(name: "SQLiteTestSupport", path: "Tests/SQLiteTestSupport"),
    // The programs of this package as processes.
    .target(
      name: "Programs",
      dependencies: [
        .product(name: "Subprocess", package: "swift-subprocess"),
        // The paths that it takes; on Apple's systems, of the system.
        .product(name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux])),
      ],
      path: "Tests/Programs"),
    // A disk that loses power, and calls that fail.
    .target(name: "CFaultyVFS", path: "Tests/CFaultyVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "FaultyFiles", dependencies: ["CFaultyVFS", "SQLiteTestSupport"], path: "Tests/FaultyFiles"),
    .testTarget(name: "FaultyFilesTests", dependencies: ["CSQLite", "FaultyFiles"]),
    // Calls to the system that fail, whoever makes them.
    .target(name: "CFailingCalls", path: "Tests/CFailingCalls"),
    .target(
      name: "FailingCalls", dependencies: ["CFailingCalls", "SQLiteTestSupport"], path: "Tests/FailingCalls"),
    .target(
      name: "CrashScenario",
      dependencies: [
        "LiveStoreSQLite", .product(name: "LiveStore", package: "livestore"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      path: "Tests/CrashScenario"),
    .executableTarget(
      name: "crash-writer", dependencies: ["CrashScenario", "LiveStoreSQLite", "SQLiteTestSupport"],
      path: "Tests/CrashWriter"),
    .testTarget(
      name: "LiveStoreSQLiteTests",
      dependencies: [
        "LiveStoreSQLite", "CrashScenario", "FailingCalls", "FaultyFiles", "Programs", "SQLiteTestSupport",
        "crash-writer",
        .product(name: "LiveStore", package: "livestore"),
        .product(name: "LiveStoreObservation", package: "livestore"),
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Crypto", package: "swift-crypto"),
      ],
      exclude: ["Kept"]),
  ],
  swiftLanguageModes: [.v6])

for target in package.targets
where target.type != .system && !["CFaultyVFS", "CFailingCalls"].contains(target.name) {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
}
