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
    .testTarget(name: "LiveStoreTests", dependencies: ["LiveStore", "TestSupport"]),
    .testTarget(
      name: "LiveStoreObservationTests",
      dependencies: ["LiveStore", "LiveStoreObservation", "TestSupport"]),
    .testTarget(
      name: "WatchCLITests", dependencies: ["LiveStore", "livestore-watch", "TestSupport"], exclude: ["Cases"]
    ),
    .testTarget(
      name: "SocialFeedTests",
      dependencies: ["LiveStore", "LiveStoreObservation", "SocialFeedCore", "social-feed", "TestSupport"]),
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
