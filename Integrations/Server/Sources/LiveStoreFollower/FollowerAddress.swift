import AsyncHTTPClient
import Foundation

/// Where a server's stream is.
struct FollowerAddress: Sendable {
  /// The URL without parameters.
  let url: String
  /// Whether it is a Unix socket, which has no name that a request could be for.
  let isSocket: Bool

  /// - Throws: `refused` for a URL that leads to no server.
  init(_ url: URL, path: String, _ entities: [String]) throws {
    let names = entities.map { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? $0 }
    let slash = UInt8(ascii: "/")
    let folders = path.utf8.split(separator: slash).map { "/" + String(decoding: $0, as: UTF8.self) }
    let target = folders.joined() + "/" + names.joined(separator: ",")
    if url.isFileURL {
      guard let socket = URL(httpURLWithSocketPath: url.path, uri: target) else { throw Self.refusal }
      (self.url, isSocket) = (socket.absoluteString, true)
      return
    }
    let scheme = url.scheme?.lowercased()
    guard scheme == "http" || scheme == "https", url.host() != nil, url.query() == nil, url.fragment() == nil
    else { throw Self.refusal }
    var base = Array(url.absoluteString.utf8)
    while base.last == slash { base.removeLast() }
    (self.url, isSocket) = (String(decoding: base, as: UTF8.self) + target, false)
  }

  private static var refusal: FollowerError {
    FollowerError(
      .refused, "A server's URL is http:, https:, or that of a socket's file, without parameters.")
  }
}
