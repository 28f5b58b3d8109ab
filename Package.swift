// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "livestore",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "LiveStore", targets: ["LiveStore"]),
    .library(name: "LiveStoreObservation", targets: ["LiveStoreObservation"]),
    .executable(name: "livestore-watch", targets: ["livestore-watch"]),
  ],
  targets: [
    .target(name: "CPrefetch"),
    .target(name: "LiveStore", dependencies: ["CPrefetch"]),
    .target(name: "LiveStoreObservation", dependencies: ["LiveStore"]),
    .executableTarget(
      name: "livestore-watch",
      dependencies: ["LiveStore"],
      path: "Examples/WatchCLI",
      exclude: ["Samples"]),
    .target(
      name: "SocialFeedCore", dependencies: ["LiveStore", "LiveStoreObservation"],
      path: "Examples/SocialFeed/Core"),
    .executableTarget(
      name: "social-feed",
      dependencies: ["LiveStore", "LiveStoreObservation", "SocialFeedCore"],
      path: "Examples/SocialFeed/CLI"),
    .target(name: "TestSupport", dependencies: ["LiveStore"], path: "Tests/TestSupport"),
    .target(
      name: "OracleSupport", dependencies: ["LiveStore"], path: "Tests/OracleClient/Sources/OracleSupport"),
    .testTarget(name: "OracleTests", dependencies: ["OracleSupport"]),
    .testTarget(name: "LiveStoreTests", dependencies: ["LiveStore", "TestSupport"]),
    .testTarget(
      name: "LiveStoreObservationTests",
      dependencies: ["LiveStore", "LiveStoreObservation", "TestSupport"]),
    .testTarget(name: "WatchCLITests", dependencies: ["LiveStore", "livestore-watch", "TestSupport"]),
    .testTarget(
      name: "SocialFeedTests",
      dependencies: ["LiveStore", "LiveStoreObservation", "SocialFeedCore", "social-feed", "TestSupport"]),
    .testTarget(
      name: "ConformanceTests",
      dependencies: ["LiveStore", "TestSupport"],
      exclude: ["Cases"]),
    .testTarget(
      name: "FuzzTests",
      dependencies: ["LiveStore", "livestore-watch", "TestSupport"],
      exclude: ["Corpus"]),
    .testTarget(name: "StressTests", dependencies: ["LiveStore", "TestSupport"]),
    .testTarget(
      name: "MainActorTests",
      dependencies: ["LiveStore", "LiveStoreObservation"],
      swiftSettings: [.defaultIsolation(MainActor.self)]),
  ],
  swiftLanguageModes: [.v6])

for target in package.targets {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("ImmutableWeakCaptures"),
      .enableUpcomingFeature("InferIsolatedConformances"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}

// LIVESTORE_TEST_TARGETS, set by Scripts/check.sh alone: the test targets to build, separated by commas, or folders of
// them, such as `LiveStoreTests/Storage`; none if it is empty. A build of all tests takes minutes, so each check builds
// those that it runs. Without the variable, as for clients of the package, nothing is left out.
if let names = Context.environment["LIVESTORE_TEST_TARGETS"]?.split(separator: ",") {
  let parts = names.map { $0.split(separator: "/", maxSplits: 1).map(String.init) }
  package.targets.removeAll { target in target.type == .test && !parts.contains { $0[0] == target.name } }
  for target in package.targets where target.type == .test {
    let folders = parts.filter { $0[0] == target.name && $0.count > 1 }.map { $0[1] }
    if !folders.isEmpty { target.sources = folders }
  }
  if !names.contains("OracleTests") { package.targets.removeAll { $0.name == "OracleSupport" } }
  if names.isEmpty { package.targets.removeAll { $0.name == "TestSupport" } }
}

// LIVESTORE_UNOPTIMISED_TESTS, set there too: the test targets to compile without optimisation, separated by commas, where
// the library has it. Optimised, a module of many tests takes longer to compile than the library.
for name in Context.environment["LIVESTORE_UNOPTIMISED_TESTS"]?.split(separator: ",") ?? [] {
  package.targets.first { $0.name == name }?.swiftSettings?.append(.unsafeFlags(["-Onone"]))
}
