import HTTPTypes

/// Which hosts and pages may use the server.
///
/// A page of any site can send requests to a server on the machine of whoever reads it, and can make its own name lead there.
/// So names of hosts and origins are those of the machine itself unless others are listed.
///
/// ```swift
/// var rules = AccessRules()
/// rules.hosts = ["feed.example.com"]
/// rules.origins = ["https://example.com"]
/// rules.token = token
/// ```
public struct AccessRules: Sendable {
  /// The names that requests may have in `Host`, without a port, besides `localhost` and the loopback addresses; nil for any,
  /// which is for servers that anyone can reach.
  public var hosts: Set<String>? = []
  /// The values that requests may have in `Origin`, besides pages of the machine itself; nil for any.
  public var origins: Set<String>? = []
  /// What clients must send as `Authorization: Bearer …`; nil for nothing.
  public var token: String?

  /// Loopback alone, and no token.
  public init() {}

  /// Why a request is refused, if it is.
  func refusal(of head: HTTPRequest) -> ServerError? {
    if let hosts, let host = head.authority.map(Self.name(ofHost:)), !Self.isLoopback(host),
      !hosts.contains(where: { $0.lowercased() == host })
    {
      return ServerError(.forbidden, "hostNotAllowed", "This server does not answer for this host.")
    }
    if let origin = head.headerFields[.origin], !allows(origin: origin) {
      return ServerError(.forbidden, "originNotAllowed", "This server does not answer pages of this origin.")
    }
    if let token, !Self.isSame(head.headerFields[.authorization] ?? "", "Bearer " + token) {
      return ServerError.unauthorized
    }
    return nil
  }

  func allows(origin: String) -> Bool {
    guard let origins else { return true }
    if origins.contains(origin) { return true }
    for scheme in ["http://", "https://"] where origin.utf8.starts(with: scheme.utf8) {
      return Self.isLoopback(
        Self.name(ofHost: String(decoding: origin.utf8.dropFirst(scheme.utf8.count), as: UTF8.self)))
    }
    return false
  }

  /// A host without its port; the whole text if what follows the name is no port.
  private static func name(ofHost host: String) -> String {
    let bytes = Array(host.utf8)
    let end =
      (bytes.first == UInt8(ascii: "[")
        ? bytes.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } : bytes.firstIndex(of: UInt8(ascii: ":")))
      ?? bytes.count
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let isPort =
      end == bytes.count || bytes[end] == UInt8(ascii: ":") && bytes[(end + 1)...].allSatisfy(digits.contains)
    return String(decoding: isPort ? bytes[..<end] : bytes[...], as: UTF8.self).lowercased()
  }

  private static func isLoopback(_ host: String) -> Bool {
    ["localhost", "127.0.0.1", "[::1]"].contains(host)
  }

  /// Compares in a time that does not tell where the first difference is.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
