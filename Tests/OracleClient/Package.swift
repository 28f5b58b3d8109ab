// swift-tools-version: 6.2
import PackageDescription

// The oracle as a client of the package: built without `-enable-testing`, its entities in a module of its own.
let package = Package(
  name: "oracle-client",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "livestore", path: "../..")],
  targets: [
    .target(
      name: "OracleSupport", dependencies: [.product(name: "LiveStore", package: "livestore")],
      path: "Sources/OracleSupport"),
    .executableTarget(name: "oracle", dependencies: ["OracleSupport"], path: "Sources/oracle"),
  ],
  swiftLanguageModes: [.v6])
