// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "livestore-postgresql",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "LiveStorePostgreSQL", targets: ["LiveStorePostgreSQL"])],
  dependencies: [
    .package(name: "livestore", path: "../.."),
    // Of the example alone: the library needs libpq only.
    .package(name: "livestore-server", path: "../Server"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "LiveStorePostgreSQL",
      dependencies: ["CPostgreSQL", .product(name: "LiveStore", package: "livestore")]),
    .target(
      name: "PostgreSQLTestSupport",
      dependencies: [
        "CPostgreSQL", "LiveStorePostgreSQL", .product(name: "LiveStore", package: "livestore"),
      ],
      path: "Tests/PostgreSQLTestSupport"),
    .testTarget(
      name: "LiveStorePostgreSQLTests",
      dependencies: [
        "LiveStorePostgreSQL", "PostgreSQLTestSupport", .product(name: "LiveStore", package: "livestore"),
        .product(name: "LiveStoreObservation", package: "livestore"),
      ]),
    // The example as a process, with its page in a browser.
    .testTarget(
      name: "LiveFeedTests",
      dependencies: [
        "PostgreSQLTestSupport", "live-feed", .product(name: "LiveStore", package: "livestore"),
        .product(name: "LiveStoreServer", package: "livestore-server"),
      ]),
    .executableTarget(
      name: "live-feed",
      dependencies: [
        "LiveStorePostgreSQL", .product(name: "LiveStore", package: "livestore"),
        .product(name: "LiveStoreServer", package: "livestore-server"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      path: "Examples/LiveFeed", exclude: ["README.md", "setup.sql"],
      resources: [.embedInCode("Page/index.html")]),
  ],
  swiftLanguageModes: [.v6])

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
}
