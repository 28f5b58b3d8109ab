// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "livestore-postgresql",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [.library(name: "LiveStorePostgreSQL", targets: ["LiveStorePostgreSQL"])],
  dependencies: [
    .package(name: "livestore", path: "../.."),
    // Of the example alone: the library needs libpq only.
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
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
    .testTarget(name: "LiveFeedTests", dependencies: ["PostgreSQLTestSupport", "live-feed"]),
    .executableTarget(
      name: "live-feed",
      dependencies: [
        "LiveStorePostgreSQL", .product(name: "LiveStore", package: "livestore"),
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
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
