import Foundation
import PostgreSQLTestSupport

/// A headless browser with one page at a time. It ends with this process.
struct Browser: Sendable {
  let driver: WebDriver
  let session: String

  /// The value of a command that gives none, or one of no interest.
  private struct Ignored: Decodable { init(from decoder: any Decoder) {} }

  private func send(_ path: String, _ body: [String: Any]) async throws {
    _ = try await driver.send("POST", "session/\(session)/\(path)", body, as: Ignored.self)
  }

  func open(_ url: URL) async throws { try await send("url", ["url": url.absoluteString]) }

  /// What the page is shown on.
  enum Screen { case desktop, phone }

  func setScreen(_ screen: Screen) async throws {
    let (width, height) = screen == .phone ? (390, 844) : (1000, 700)
    let metrics: [String: Any] = [
      "width": width, "height": height, "deviceScaleFactor": screen == .phone ? 2 : 1,
      "mobile": screen == .phone,
    ]
    try await send(
      "goog/cdp/execute", ["cmd": "Emulation.setDeviceMetricsOverride", "params": metrics])
  }

  /// Runs a script as the body of a function of `arguments`, and gives what it returns.
  func evaluate<Value: Decodable>(
    _ script: String, _ arguments: [Any] = [], as type: Value.Type = Value.self
  ) async throws -> Value {
    let body: [String: Any] = ["script": script, "args": arguments]
    return try await driver.send("POST", "session/\(session)/execute/sync", body, as: type)
  }

  func run(_ script: String, _ arguments: Any...) async throws {
    try await send("execute/sync", ["script": script, "args": arguments])
  }

  /// Waits until an expression of `arguments` is true: it is tested again after each change of the page.
  ///
  /// - Returns: false if it was not within 20 seconds.
  func waits(until condition: String, _ arguments: Any...) async throws -> Bool {
    let script = """
      const finish = arguments[arguments.length - 1], observer = new MutationObserver(test);
      function test() { if (isTrue(...parameters)) end(true); }
      function end(result) { clearTimeout(timer); observer.disconnect(); finish(result); }
      const timer = setTimeout(end, 20000, false);
      const parameters = [...arguments], isTrue = function() { return \(condition); };
      observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
      test();
      """
    let body: [String: Any] = ["script": script, "args": arguments]
    return try await driver.send("POST", "session/\(session)/execute/async", body, as: Bool.self)
  }

  /// Clicks an element as a user does.
  func click(_ selector: String) async throws {
    try await send("element/\(try await element(selector))/click", [:])
  }

  /// Types into an element.
  func type(_ text: String, into selector: String) async throws {
    try await send("element/\(try await element(selector))/value", ["text": text])
  }

  private func element(_ selector: String) async throws -> String {
    let body = ["using": "css selector", "value": selector]
    let reference = try await driver.send(
      "POST", "session/\(session)/element", body, as: [String: String].self)
    guard let id = reference.values.first else { throw Mismatch("no element \(selector)") }
    return id
  }

  /// Writes a picture of the page into a file.
  func writeScreenshot(to path: String) async throws {
    let text = try await driver.send("GET", "session/\(session)/screenshot", as: String.self)
    guard let data = Data(base64Encoded: text) else { throw Mismatch("the screenshot is no picture") }
    try data.write(to: URL(fileURLWithPath: path))
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
