import Foundation
import Hummingbird

/// How a server is used, and by whom.
///
/// ```swift
/// var configuration = ServerConfiguration()
/// configuration.access.token = token
/// configuration.limits.streams = 200
/// ```
public struct ServerConfiguration: Sendable {
  /// Which hosts and pages may use the server, and with which token.
  public var access: AccessRules
  /// How much it gives to clients.
  public var limits: StreamLimits
  /// The page that shows the running store, at `/inspector` of a server of its own; nil, the default, for none.
  public var inspector: StoreInspector?

  /// A configuration; loopback alone by default.
  public init(access: AccessRules = AccessRules(), limits: StreamLimits = StreamLimits()) {
    (self.access, self.limits) = (access, limits)
  }
}

/// Where clients connect.
///
/// ```swift
/// try await server.run(on: .unixSocket("/run/app/store.sock"))
/// ```
public struct ServerAddress: Sendable, Hashable {
  private enum Kind: Hashable {
    case loopback(port: Int)
    case unixSocket(String)
  }

  private let kind: Kind

  /// A port of this machine, which nothing outside reaches; 0 for a free one.
  public static func loopback(port: Int) -> ServerAddress { ServerAddress(kind: .loopback(port: port)) }

  /// A socket in the file system, which its owner alone may use.
  ///
  /// A socket that is there is replaced. For the moment until its permissions are set it has those of the process's files, so
  /// its folder should be the owner's alone.
  public static func unixSocket(_ path: String) -> ServerAddress { ServerAddress(kind: .unixSocket(path)) }

  var bindAddress: BindAddress {
    switch kind {
    case .loopback(let port): .hostname("127.0.0.1", port: port)
    case .unixSocket(let path): .unixDomainSocket(path: path)
    }
  }

  /// Leaves a socket to its owner.
  ///
  /// - Throws: the error of the system.
  func restrict() throws {
    guard case .unixSocket(let path) = kind else { return }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
  }

  /// Removes a socket, so that nothing can connect to it.
  func removeSocket() {
    guard case .unixSocket(let path) = kind else { return }
    unlink(path)
  }
}
