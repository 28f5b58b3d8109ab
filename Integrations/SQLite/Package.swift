// swift-tools-version: 6.2
import PackageDescription

// Filters and orders rendered to SQL, in a real SQLite: the same rows give the same answer. The cases are those of the
// tests of filters.
let package = Package(
  name: "livestore-sqlite",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "livestore", path: "../..")],
  targets: [
    .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .testTarget(
      name: "SQLTests",
      dependencies: ["CSQLite", "TestSupport", .product(name: "LiveStore", package: "livestore")]),
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
