// swift-tools-version: 6.2
import PackageDescription

/// Where there is no Combine of the system's.
let withoutCombine = TargetDependencyCondition.when(
  platforms: [.linux, .android, .windows, .openbsd])

let package = Package(
  name: "livestore-combine",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [.library(name: "LiveStoreCombine", targets: ["LiveStoreCombine"])],
  dependencies: [
    .package(name: "livestore", path: "../.."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    .target(
      name: "LiveStoreCombine",
      dependencies: [
        .product(name: "LiveStore", package: "livestore"),
        .product(name: "OpenCombine", package: "OpenCombine", condition: withoutCombine),
      ]),
    .testTarget(
      name: "LiveStoreCombineTests",
      dependencies: [
        "LiveStoreCombine",
        .product(name: "LiveStore", package: "livestore"),
        .product(name: "OpenCombine", package: "OpenCombine", condition: withoutCombine),
        .product(name: "OpenCombineDispatch", package: "OpenCombine", condition: withoutCombine),
      ]),
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
