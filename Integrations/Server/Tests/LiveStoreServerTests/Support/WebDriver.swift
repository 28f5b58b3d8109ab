import Foundation
import LiveStore
import LiveStoreServer

/// A `chromedriver` process, which starts browsers and is spoken to in WebDriver's JSON over HTTP.
///
/// It ends with this process.
final class WebDriver: Sendable {
  private let port: Int
  private let process: Process
  private let input = Pipe()
  /// The folder of the browser's profile and temporary files.
  private let profile: URL

  private static let browser = path(
    "LIVESTORE_CHROMIUM", or: ["chromium", "chromium-browser", "google-chrome"])
  private static let driver = path("LIVESTORE_CHROMEDRIVER", or: ["chromedriver"])

  /// Whether the browser and its driver are installed, or named by `LIVESTORE_CHROMIUM` and `LIVESTORE_CHROMEDRIVER`.
  static var isThere: Bool { browser != nil && driver != nil }

  /// The path of a program: that in a variable, else the first of some names in `PATH` or `/usr/bin`.
  private static func path(_ variable: String, or names: [String]) -> String? {
    let environment = ProcessInfo.processInfo.environment
    let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init) + ["/usr/bin"]
    let paths = names.flatMap { name in folders.map { "\($0)/\(name)" } }
    return (environment[variable].map { [$0] } ?? paths).first(where: FileManager.default.isExecutableFile)
  }

  init() async throws {
    profile = FileManager.default.temporaryDirectory.appending(path: "browser-\(UUID())")
    try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/bin/bash")
    // The driver and its browsers are a group, which ends when the end of the pipe is closed, or this process is no more:
    // another child that was started at the same time may have the pipe too.
    let script = """
      set -m; TMPDIR="$2" "$1" --port=0 &
      while kill -0 "$3" 2> /dev/null; do read -r -t 1 || [ $? -gt 128 ] || break; done
      kill -KILL -- -$!; until rm -rf "$2"; do :; done
      """
    process.arguments = ["-c", script, "bash", Self.driver ?? "", profile.path, "\(getpid())"]
    (process.standardInput, process.standardOutput) = (input, output)
    _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    try process.run()
    let file = output.fileHandleForReading
    port = try await onThread {
      var text = ""
      while case let data = file.availableData, !data.isEmpty {
        text += String(decoding: data, as: UTF8.self)
        if let match = text.firstMatch(of: /successfully on port (\d+)/), let port = Int(match.1) {
          return port
        }
      }
      throw Failure("chromedriver has no port: \(text)")
    }
    self.process = process
  }

  /// Starts a browser.
  func makeBrowser() async throws -> Browser {
    var arguments: [JSONValue] = [
      "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
      "--user-data-dir=\(profile.path)",
    ].map { .string($0) }
    // Chromium's sandbox refuses to run as root.
    if geteuid() == 0 { arguments.append("--no-sandbox") }
    let options: JSONValue = ["binary": .string(Self.browser ?? ""), "args": .array(arguments)]
    let capabilities: JSONValue = [
      "goog:chromeOptions": options, "goog:loggingPrefs": ["browser": "ALL", "performance": "ALL"],
    ]
    let value = try await send("POST", "session", ["capabilities": ["alwaysMatch": capabilities]])
    guard case .object(let members) = value, let session = members["sessionId"]?.text else {
      throw Failure("there is no session: \(value)")
    }
    return Browser(driver: self, session: session)
  }

  /// Sends a command, and gives its value.
  func send(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
    let (port, text) = (port, body.map(\.description) ?? "")
    let reply = try await onThread {
      let connection = try RawConnection(port: port)
      connection.send(
        "\(method) /\(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
          + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
      return try connection.reply()
    }
    guard reply.status == 200, case .object(let members) = try decode(JSONValue.self, reply.body) else {
      throw Failure("\(method) \(path): \(reply.body.prefix(500))")
    }
    return members["value"] ?? .null
  }
}

/// A headless browser with one page at a time.
struct Browser: Sendable {
  let driver: WebDriver
  let session: String

  @discardableResult
  private func send(_ path: String, _ body: JSONValue) async throws -> JSONValue {
    try await driver.send("POST", "session/\(session)/\(path)", body)
  }

  func open(_ url: String) async throws { try await send("url", ["url": .string(url)]) }

  /// Makes the page as large as a screen, in light or dark.
  func setScreen(width: Int, height: Int, isDark: Bool = false) async throws {
    let metrics: JSONValue = [
      "width": JSONValue(Int64(width)), "height": JSONValue(Int64(height)), "deviceScaleFactor": 1,
      "mobile": false,
    ]
    try await send("goog/cdp/execute", ["cmd": "Emulation.setDeviceMetricsOverride", "params": metrics])
    let feature: JSONValue = ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]
    try await send(
      "goog/cdp/execute",
      ["cmd": "Emulation.setEmulatedMedia", "params": ["media": "", "features": [feature]]])
  }

  /// Runs a script as the body of a function of `arguments`, and gives what it returns.
  @discardableResult
  func evaluate(_ script: String, _ arguments: JSONValue...) async throws -> JSONValue {
    try await send("execute/sync", ["script": .string(script), "args": .array(arguments)])
  }

  /// Waits until an expression of `arguments` is true, at most twenty seconds.
  func waits(until condition: String, _ arguments: JSONValue...) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
      let body: JSONValue = ["script": .string("return Boolean(\(condition))"), "args": .array(arguments)]
      if try await send("execute/sync", body) == true { return true }
      try await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  /// Clicks an element as a user does.
  func click(_ selector: String) async throws {
    try await send("element/\(try await element(selector))/click", [:])
  }

  /// Types into an element.
  func type(_ text: String, into selector: String) async throws {
    try await send("element/\(try await element(selector))/value", ["text": .string(text)])
  }

  private func element(_ selector: String) async throws -> String {
    let found = try await send("element", ["using": "css selector", "value": .string(selector)])
    guard case .object(let members) = found, let id = members.first?.value.text else {
      throw Failure("there is no element \(selector)")
    }
    return id
  }

  /// What the browser has logged since it was asked: messages of the console, or what it did with the network.
  func log(_ type: String) async throws -> [String] {
    guard case .array(let entries) = try await send("se/log", ["type": .string(type)]) else { return [] }
    return entries.compactMap { entry in
      guard case .object(let members) = entry else { return nil }
      return members["message"]?.text
    }
  }

  /// The URLs that were asked for since it was asked.
  func requestedURLs() async throws -> [String] {
    try await log("performance").compactMap { text in
      text.firstMatch(of: /"method":"Network\.requestWillBeSent".*?"request":\{.*?"url":"([^"]+)"/).map {
        String($0.1)
      }
    }
  }

  /// Writes a picture of the page into a file.
  func writeScreenshot(to path: String) async throws {
    let picture = try await driver.send("GET", "session/\(session)/screenshot")
    guard let data = Data(base64Encoded: picture.text ?? "") else { throw Failure("this is no picture") }
    try data.write(to: URL(filePath: path))
  }
}

/// Starts the browser that the tests share, once: it takes seconds.
actor SharedBrowser {
  static let instance = SharedBrowser()
  private var task: Task<Browser, any Error>?

  func browser() async throws -> Browser {
    if let task { return try await task.value }
    let task = Task { try await WebDriver().makeBrowser() }
    self.task = task
    return try await task.value
  }
}
