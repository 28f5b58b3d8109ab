// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "livestore-server",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "LiveStoreServer", targets: ["LiveStoreServer"]),
    .executable(name: "livestore", targets: ["LiveStoreTool"]),
    .library(name: "LiveStoreFollower", targets: ["LiveStoreFollower"]),
  ],
  dependencies: [
    .package(name: "livestore", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.9.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    // Of the example alone.
    .package(name: "livestore-sqlite", path: "../SQLite"),
  ],
  targets: [
    .target(name: "LiveStoreStreams", dependencies: [.product(name: "LiveStore", package: "livestore")]),
    .target(
      name: "LiveStoreFollower",
      dependencies: [
        "LiveStoreStreams",
        .product(name: "LiveStore", package: "livestore"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ]),
    .target(
      name: "LiveStoreServer",
      dependencies: [
        "LiveStoreStreams",
        .product(name: "LiveStore", package: "livestore"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [
        .embedInCode("Inspector/Page/index.html"), .embedInCode("Inspector/Page/inspector.css"),
        .embedInCode("Inspector/Page/inspector.js"), .embedInCode("Inspector/Page/rows.js"),
        .embedInCode("Inspector/Page/table.js"), .embedInCode("Inspector/Page/views.js"),
        .embedInCode("Browser/livestore.js"),
      ]),
    .executableTarget(
      name: "LiveStoreTool",
      dependencies: [
        "LiveStoreFollower", "LiveStoreServer",
        .product(name: "LiveStore", package: "livestore"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .executableTarget(
      name: "dashboard",
      dependencies: [
        "LiveStoreServer", .product(name: "LiveStore", package: "livestore"),
        .product(name: "LiveStoreSQLite", package: "livestore-sqlite"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      path: "Examples/Dashboard", exclude: ["README.md"], resources: [.embedInCode("Page/index.html")]),
    .testTarget(
      name: "LiveStoreServerTests",
      dependencies: [
        "LiveStoreFollower", "LiveStoreServer", "LiveStoreStreams", "LiveStoreTool", "dashboard",
        .product(name: "LiveStore", package: "livestore"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      exclude: ["follow.mjs", "follow.py", "lifecycle.mjs"]),
  ],
  swiftLanguageModes: [.v6])

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
}
