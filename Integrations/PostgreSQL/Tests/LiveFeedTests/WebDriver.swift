import Foundation
import PostgreSQLTestSupport

/// A `chromedriver` process, which starts browsers and is spoken to in WebDriver's JSON over HTTP.
final class WebDriver: Sendable {
  private let url: URL
  private let process: GuardedProcess
  /// The folder of the browser's profile and temporary files.
  private let profile: URL

  private static let browser = path(
    "LIVESTORE_CHROMIUM", or: ["chromium", "chromium-browser", "google-chrome"])
  private static let driver = path("LIVESTORE_CHROMEDRIVER", or: ["chromedriver"])

  /// The path of a program: that in a variable, else the first of some names in `PATH` or `/usr/bin`.
  private static func path(_ variable: String, or names: [String]) -> String? {
    let environment = ProcessInfo.processInfo.environment
    let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init) + ["/usr/bin"]
    let paths = names.flatMap { name in folders.map { "\($0)/\(name)" } }
    return (environment[variable].map { [$0] } ?? paths).first(where: FileManager.default.isExecutableFile)
  }

  /// Starts the program.
  ///
  /// - Throws: a sentence that says what to install, if it or the browser is missing.
  init() async throws {
    guard let driver = Self.driver, Self.browser != nil else {
      throw Mismatch(
        """
        These tests drive a real browser, and found no chromium and chromedriver in PATH or /usr/bin. Install them \
        (Debian: apt-get install chromium chromium-driver), or set LIVESTORE_CHROMIUM and LIVESTORE_CHROMEDRIVER to \
        the paths of the two programs.
        """)
    }
    profile = FileManager.default.temporaryDirectory.appendingPathComponent("browser-\(UUID())")
    try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
    // Port 0 is one that is free. The browsers are of the driver's group; they write until they have ended.
    process = try GuardedProcess(
      "/usr/bin/env", ["TMPDIR=\(profile.path)", driver, "--port=0"],
      cleanUp: "kill -s KILL -- -$1; until rm -rf '\(profile.path)'; do :; done")
    let (match, _) = try await process.firstMatch(of: /successfully on port (\d+)/)
    guard let url = URL(string: "http://127.0.0.1:\(match.1)") else { throw Mismatch("no port: \(match.1)") }
    self.url = url
  }

  /// Starts a browser.
  func makeBrowser() async throws -> Browser {
    struct Session: Decodable { var sessionId: String }
    var arguments = [
      "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
      "--user-data-dir=\(profile.path)",
    ]
    // Chromium's sandbox refuses to run as root.
    if geteuid() == 0 { arguments.append("--no-sandbox") }
    let options: [String: Any] = ["binary": Self.browser ?? "", "args": arguments]
    let capabilities: [String: Any] = ["alwaysMatch": ["goog:chromeOptions": options]]
    let session = try await send("POST", "session", ["capabilities": capabilities], as: Session.self)
    return Browser(driver: self, session: session.sessionId)
  }

  private struct Reply<Value: Decodable>: Decodable { var value: Value }

  /// Sends a command, and gives its value.
  func send<Value: Decodable>(
    _ method: String, _ path: String, _ body: [String: Any]? = nil, as type: Value.Type
  ) async throws -> Value {
    let text = String(
      decoding: try body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data(), as: UTF8.self)
    let answer = try await RawConnection.answer(method, url.appendingPathComponent(path), text)
    if answer.status != 200 { throw Mismatch("\(method) \(path): \(answer.body.prefix(500))") }
    return try JSONDecoder().decode(Reply<Value>.self, from: Data(answer.body.utf8)).value
  }
}
