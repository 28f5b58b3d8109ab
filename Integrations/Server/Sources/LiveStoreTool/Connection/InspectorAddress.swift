import Foundation

/// Where the inspector of a server is: behind a Unix socket, or at a URL.
package struct InspectorAddress: Equatable, Sendable {
  /// The URL of the inspector, without a slash at its end, as the HTTP client takes it.
  package let url: String
  /// What the tool calls it.
  package let name: String
  package let isSocket: Bool

  /// Reads what was given: a path, or a URL with `http` or `https`.
  ///
  /// - Throws: a sentence, if it is neither.
  package init(_ text: String) throws {
    name = text
    if ["http://", "https://"].contains(where: { text.lowercased().utf8.starts(with: $0.utf8) }) {
      guard let url = URLComponents(string: text), url.host?.isEmpty == false, url.query == nil else {
        throw ToolFailure(status: EX_USAGE, message: "\(text) is no URL of a server.")
      }
      var base = text.utf8.split(separator: UInt8(ascii: "#"), maxSplits: 1)[0]
      while base.last == UInt8(ascii: "/") { base.removeLast() }
      self.url = String(decoding: base, as: UTF8.self) + (["", "/"].contains(url.path) ? "/inspector" : "")
      isSocket = false
    } else {
      let path =
        text.utf8.first == UInt8(ascii: "/")
        ? text : FileManager.default.currentDirectoryPath + "/" + text
      guard let host = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) else {
        throw ToolFailure(status: EX_USAGE, message: "\(text) is no path.")
      }
      url = "http+unix://\(host)/inspector"
      isSocket = true
    }
  }
}
