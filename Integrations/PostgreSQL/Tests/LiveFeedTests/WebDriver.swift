import Foundation
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A `chromedriver` process, which starts browsers and is spoken to in WebDriver's JSON over HTTP.
final class WebDriver: Sendable {
  private let url: URL
  private let process: GuardedProcess
  private let profiles: URL

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
    profiles = FileManager.default.temporaryDirectory.appendingPathComponent("browsers-\(UUID())")
    // Port 0 is one that is free.
    process = try GuardedProcess(driver, ["--port=0"])
    let match = try await process.firstMatch(of: /successfully on port (\d+)/)
    guard let url = URL(string: "http://127.0.0.1:\(match.1)") else { throw Mismatch("no port: \(match.1)") }
    self.url = url
  }

  /// Ends the browsers and the program.
  func stop() async throws {
    _ = try await URLSession.shared.data(from: url.appendingPathComponent("shutdown"))
    try await process.stop()
    try? FileManager.default.removeItem(at: profiles)
  }

  /// The size of a window, or of a telephone's screen.
  enum Screen {
    case window(width: Int, height: Int)
    case phone(width: Int, height: Int)
  }

  /// Starts a browser with a profile of its own.
  func makeBrowser(_ screen: Screen = .window(width: 1000, height: 700)) async throws -> Browser {
    struct Session: Decodable { var sessionId: String }
    var arguments = [
      "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
      "--user-data-dir=\(profiles.appendingPathComponent("\(UUID())").path)",
    ]
    // Chromium's sandbox refuses to run as root.
    if geteuid() == 0 { arguments.append("--no-sandbox") }
    var options: [String: Any] = ["binary": Self.browser ?? ""]
    switch screen {
    case .window(let width, let height):
      arguments.append("--window-size=\(width),\(height)")
    case .phone(let width, let height):
      let metrics: [String: Any] = ["width": width, "height": height, "pixelRatio": 2, "mobile": true]
      options["mobileEmulation"] = ["deviceMetrics": metrics]
    }
    options["args"] = arguments
    let capabilities: [String: Any] = ["alwaysMatch": ["goog:chromeOptions": options]]
    let session = try await send("POST", "session", ["capabilities": capabilities], as: Session.self)
    return Browser(driver: self, session: session.sessionId)
  }

  private struct Reply<Value: Decodable>: Decodable { var value: Value }

  /// Sends a command, and gives its value.
  func send<Value: Decodable>(
    _ method: String, _ path: String, _ body: [String: Any]? = nil, as type: Value.Type
  ) async throws -> Value {
    var request = URLRequest(url: url.appendingPathComponent(path), timeoutInterval: 60)
    request.httpMethod = method
    if let body { request.httpBody = try JSONSerialization.data(withJSONObject: body) }
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    let (data, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
      throw Mismatch("\(method) \(path): \(String(decoding: data, as: UTF8.self).prefix(500))")
    }
    return try JSONDecoder().decode(Reply<Value>.self, from: data).value
  }
}
