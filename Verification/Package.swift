// swift-tools-version: 6.2
import PackageDescription

// Everything that is tested, as one package, so that it is built in one graph: the libraries once, whatever order the
// checks have, and with `package` access for tests of the optimised library that users get. Beside the tests of the other
// packages it has those that are long: oracles, generated families of cases, random inputs.
//
//   swift test -c release --package-path Verification --disable-testable-imports --filter FilterOracleTests
//
// `Repository` is a link to the folder above, since a target's path must be within its package.
// Scripts/check-suites.py sees that no target of the other packages' manifests is missing here.

/// Targets of the other packages, with the names and dependencies that their manifests give them.
func target(
  _ name: String, _ path: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []
) -> Target {
  .target(name: name, dependencies: dependencies, path: "Repository/" + path, resources: resources)
}

func program(
  _ name: String, _ path: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
  resources: [Resource] = [], settings: [SwiftSetting] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "Repository/" + path, exclude: exclude,
    resources: resources,
    swiftSettings: settings)
}

func tests(
  _ name: String, _ folder: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
  sources: [String]? = nil, settings: [SwiftSetting] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Repository/\(folder)/\(name)", exclude: exclude,
    sources: sources,
    swiftSettings: settings)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let withoutCombine = TargetDependencyCondition.when(platforms: [.linux, .android, .windows, .openbsd])
let openCombine = Target.Dependency.product(
  name: "OpenCombine", package: "OpenCombine", condition: withoutCombine)
let openCombineDispatch = Target.Dependency.product(
  name: "OpenCombineDispatch", package: "OpenCombine", condition: withoutCombine)

let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")

let libraries: [Target] = [
  target("CPrefetch", "Sources/CPrefetch"),
  target("LiveStore", "Sources/LiveStore", ["CPrefetch"]),
  target("LiveStoreObservation", "Sources/LiveStoreObservation", ["LiveStore"]),
  target("TestSupport", "Tests/TestSupport", ["LiveStore"]),
]

let root: [Target] = [
  program("livestore-watch", "Examples/WatchCLI", ["LiveStore"], exclude: ["Samples"]),
  target("SocialFeedCore", "Examples/SocialFeed/Core", ["LiveStore", "LiveStoreObservation"]),
  program("social-feed", "Examples/SocialFeed/CLI", ["LiveStore", "LiveStoreObservation", "SocialFeedCore"]),
  tests("LiveStoreTests", "Tests", ["LiveStore", "TestSupport"]),
  tests("LiveStoreObservationTests", "Tests", ["LiveStore", "LiveStoreObservation", "TestSupport"]),
  tests("WatchCLITests", "Tests", ["LiveStore", "livestore-watch", "TestSupport"]),
  tests(
    "SocialFeedTests", "Tests",
    ["LiveStore", "LiveStoreObservation", "SocialFeedCore", "social-feed", "TestSupport"]),
  tests("StressTests", "Tests", ["LiveStore", "TestSupport"]),
  tests(
    "MainActorTests", "Tests", ["LiveStore", "LiveStoreObservation"],
    settings: [.defaultIsolation(MainActor.self)]),
]

let verification: [Target] = [
  tests("ConformanceTests", "Verification/Tests", ["LiveStore", "TestSupport"], exclude: ["Cases"]),
  tests("FilterOracleTests", "Verification/Tests", ["CSQLite", "LiveStore", "TestSupport"]),
  tests(
    "FuzzTests", "Verification/Tests", ["LiveStore", "livestore-watch", "TestSupport"], exclude: ["Corpus"]),
  target("OracleSupport", "Verification/Sources/OracleSupport", ["LiveStore"]),
  program("oracle", "Verification/Sources/oracle", ["OracleSupport"]),
  tests("OracleTests", "Verification/Tests", ["OracleSupport"]),
]

let files: [Target] = [
  .systemLibrary(
    name: "CSQLite", path: "Repository/Integrations/SQLite/Sources/CSQLite",
    providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
  target(
    "LiveStoreSQLite", "Integrations/SQLite/Sources/LiveStoreSQLite",
    ["CSQLite", "LiveStore", grdb, .product(name: "GRDBSQLite", package: "GRDB.swift"), crypto]),
  program(
    "livestore-sqlite", "Integrations/SQLite/Sources/livestore-sqlite",
    ["LiveStoreSQLite", "LiveStore", argumentParser, crypto]),
  target("SQLiteTestSupport", "Integrations/SQLite/Tests/SQLiteTestSupport"),
  target(
    "Programs", "Integrations/SQLite/Tests/Programs",
    [
      .product(name: "Subprocess", package: "swift-subprocess"),
      .product(name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux])),
    ]),
  .target(
    name: "CFaultyVFS", path: "Repository/Integrations/SQLite/Tests/CFaultyVFS",
    linkerSettings: [.linkedLibrary("sqlite3")]),
  .target(name: "CFailingCalls", path: "Repository/Integrations/SQLite/Tests/CFailingCalls"),
  target("FailingCalls", "Integrations/SQLite/Tests/FailingCalls", ["CFailingCalls", "SQLiteTestSupport"]),
  target("FaultyFiles", "Integrations/SQLite/Tests/FaultyFiles", ["CFaultyVFS", "SQLiteTestSupport"]),
  target(
    "CrashScenario", "Integrations/SQLite/Tests/CrashScenario", ["LiveStoreSQLite", "LiveStore", crypto]),
  program(
    "crash-writer", "Integrations/SQLite/Tests/CrashWriter",
    ["CrashScenario", "LiveStoreSQLite", "SQLiteTestSupport"]),
  tests("FaultyFilesTests", "Integrations/SQLite/Tests", ["CSQLite", "FaultyFiles"]),
  tests(
    "ToolTests", "Integrations/SQLite/Tests",
    ["LiveStoreSQLite", "livestore-sqlite", "Programs", "SQLiteTestSupport", "LiveStore", crypto]),
  tests(
    "LiveStoreSQLiteTests", "Integrations/SQLite/Tests",
    [
      "LiveStoreSQLite", "CrashScenario", "FailingCalls", "FaultyFiles", "Programs", "SQLiteTestSupport",
      "crash-writer", "LiveStore",
      "LiveStoreObservation", grdb, crypto,
    ], exclude: ["Kept"]),
]

let replicas: [Target] = [
  .systemLibrary(
    name: "CPostgreSQL", path: "Repository/Integrations/PostgreSQL/Sources/CPostgreSQL", pkgConfig: "libpq",
    providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
  target(
    "LiveStorePostgreSQL", "Integrations/PostgreSQL/Sources/LiveStorePostgreSQL",
    ["CPostgreSQL", "LiveStore"]),
  target(
    "PostgreSQLTestSupport", "Integrations/PostgreSQL/Tests/PostgreSQLTestSupport",
    ["CPostgreSQL", "LiveStorePostgreSQL", "LiveStore"]),
  program(
    "live-feed", "Integrations/PostgreSQL/Examples/LiveFeed",
    [
      "LiveStorePostgreSQL", "LiveStore", "LiveStoreServer", hummingbird, httpTypes, logging, nio,
      .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      .product(name: "UnixSignals", package: "swift-service-lifecycle"),
    ], exclude: ["README.md", "setup.sql"], resources: [.embedInCode("Page/index.html")]),
  tests(
    "LiveStorePostgreSQLTests", "Integrations/PostgreSQL/Tests",
    ["LiveStorePostgreSQL", "PostgreSQLTestSupport", "LiveStore", "LiveStoreObservation"]),
  tests(
    "LiveFeedTests", "Integrations/PostgreSQL/Tests",
    ["PostgreSQLTestSupport", "live-feed", "LiveStore", "LiveStoreServer"]),
]

let publishers: [Target] = [
  target("LiveStoreCombine", "Integrations/Combine/Sources/LiveStoreCombine", ["LiveStore", openCombine]),
  tests(
    "LiveStoreCombineTests", "Integrations/Combine/Tests",
    ["LiveStoreCombine", "LiveStore", openCombine, openCombineDispatch]),
]

let servers: [Target] = [
  target("LiveStoreStreams", "Integrations/Server/Sources/LiveStoreStreams", ["LiveStore"]),
  target(
    "LiveStoreFollower", "Integrations/Server/Sources/LiveStoreFollower",
    ["LiveStoreStreams", "LiveStore", httpClient, nio, nioHTTP1]),
  target(
    "LiveStoreServer", "Integrations/Server/Sources/LiveStoreServer",
    [
      "LiveStoreStreams", "LiveStore", hummingbird, httpTypes, logging, nio,
      .product(name: "Metrics", package: "swift-metrics"),
      .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
      .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
    ],
    resources: ["index.html", "inspector.css", "inspector.js", "rows.js", "table.js", "views.js"].map {
      .embedInCode("Inspector/Page/\($0)")
    } + [.embedInCode("Browser/livestore.js")]),
  program(
    "LiveStoreTool", "Integrations/Server/Sources/LiveStoreTool",
    [
      "LiveStoreFollower", "LiveStoreServer", "LiveStore", argumentParser, httpClient, hummingbird, httpTypes,
      logging, nio,
      nioHTTP1,
      .product(name: "NIOPosix", package: "swift-nio"),
    ]),
  program(
    "dashboard", "Integrations/Server/Examples/Dashboard",
    ["LiveStoreServer", "LiveStore", "LiveStoreSQLite", hummingbird, nio],
    exclude: ["README.md"], resources: [.embedInCode("Page/index.html")]),
  tests(
    "LiveStoreServerTests", "Integrations/Server/Tests",
    [
      "LiveStoreFollower", "LiveStoreServer", "LiveStoreStreams", "LiveStoreTool", "dashboard", "LiveStore",
      hummingbird, httpTypes, logging, nio,
    ],
    exclude: ["follow.mjs", "follow.py", "lifecycle.mjs"]),
]

let benchmarks: [Target] = [
  target("CMemory", "Benchmarks/Sources/CMemory"),
  program("figures", "Benchmarks/Sources/Figures", ["LiveStore", "LiveStoreObservation"]),
  program(
    "benchmarks", "Benchmarks/Sources/Benchmarks",
    [
      "LiveStore", "LiveStoreObservation", "LiveStoreSQLite", "CMemory", argumentParser, grdb,
      .product(name: "HashTreeCollections", package: "swift-collections"),
      .product(name: "OrderedCollections", package: "swift-collections"),
    ], settings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
  program("regressions", "Benchmarks/Sources/Regressions", ["LiveStore"]),
  program(
    "streams", "Benchmarks/Sources/Streams",
    [
      "LiveStore", "LiveStoreServer", argumentParser, logging, nio,
      .product(name: "NIOPosix", package: "swift-nio"),
    ]),
]

/// What has threads in it, for the thread sanitizer: the library and the suites in which many threads take part.
let threads: [Target] = [
  tests(
    "LiveStoreTests", "Tests", ["LiveStore", "TestSupport"],
    sources: ["Support", "LiveQueries"]
      + [
        "Optimistic", "Snapshot", "SuspendedBody", "TicketQueue", "VersionPins", "WriteLock", "WriterLoop",
        "WriterTurn",
      ].map { "Transactions/\($0)Tests.swift" }),
  tests("LiveStoreObservationTests", "Tests", ["LiveStore", "LiveStoreObservation", "TestSupport"]),
  tests("StressTests", "Tests", ["LiveStore", "TestSupport"]),
]

/// What tests the library alone, for mistakes that Scripts/mutate.py makes in it.
let core: [Target] = [
  tests("LiveStoreTests", "Tests", ["LiveStore", "TestSupport"]),
  tests("LiveStoreObservationTests", "Tests", ["LiveStore", "LiveStoreObservation", "TestSupport"]),
  tests("StressTests", "Tests", ["LiveStore", "TestSupport"]),
  tests("FilterOracleTests", "Verification/Tests", ["LiveStore", "TestSupport"], exclude: ["SQL"]),
]

/// LIVESTORE_VERIFICATION=threads or =core leaves out what these do not need.
let part = ["threads": threads, "core": core][Context.environment["LIVESTORE_VERIFICATION"] ?? ""]

let package = Package(
  name: "livestore-verification",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: part != nil
    ? []
    : [
      .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
      .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
      .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
      .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
      .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
      .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
      .package(url: "https://github.com/apple/swift-metrics", from: "2.9.0"),
      .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
      .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
      .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
      .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
      .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
      .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
      .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
      .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
  targets: libraries
    + (part ?? root + verification + files + replicas + publishers + servers + benchmarks),
  swiftLanguageModes: [.v6])

// What is a client, or not Swift, has the settings of its own package.
let clients: Set = [
  "CFailingCalls", "CFaultyVFS", "CMemory", "CPostgreSQL", "CPrefetch", "CSQLite", "benchmarks", "figures",
  "oracle", "regressions", "streams",
]
for target in package.targets where !clients.contains(target.name) {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("ImmutableWeakCaptures"),
      .enableUpcomingFeature("InferIsolatedConformances"),
      .enableUpcomingFeature("InternalImportsByDefault"),
      .enableUpcomingFeature("MemberImportVisibility"),
      .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
  // Tests are for the library as users get it: optimised themselves they would take longer to compile than it does.
  if target.type == .test { target.swiftSettings?.append(.unsafeFlags(["-Onone"])) }
}
