import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import LiveStoreServer
import Logging
import NIOCore
import NIOHTTP1

/// Serves the inspector of a socket to browsers of this machine.
///
/// The socket is its owner's alone, and a port of this machine is everyone's on it. So the proxy has a secret of its own, which
/// is in the part of its URL that a browser sends to no server, and which the page sends as its token.
struct WebProxy: Sendable {
  private let client: InspectorClient
  private let port: Int
  private let secret = WebProxy.makeSecret()

  init(_ client: InspectorClient, port: Int) { (self.client, self.port) = (client, port) }

  private static func makeSecret() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let digits = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }

  /// Prints the URL, and serves until a signal.
  func run() async throws {
    // Whether there is an inspector is said before there is a URL.
    _ = try await client.state()
    guard client.address.isSocket else {
      return try Output.write(Array((client.address.url + "/\n").utf8))
    }
    let numbers = Signals().numbers
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await serve { port in
          try? Output.write(Array("http://localhost:\(port)/inspector/#token=\(secret)\n".utf8))
        }
      }
      group.addTask { for await number in numbers { throw ToolFailure.signal(number) } }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Serves until the task is cancelled.
  package func serve(_ onRunning: @escaping @Sendable (_ port: Int) async -> Void) async throws {
    let router = Router()
    router.get("inspector") { request, _ in try await answer(request) }
    router.get("inspector/**") { request, _ in try await answer(request) }
    let app = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { await onRunning($0.localAddress?.port ?? 0) },
      logger: Logger(label: "livestore") { _ in SwiftLogNoOpLogHandler() })
    do {
      try await app.run()
    } catch let error as IOError {
      throw ToolFailure.server("The port \(port) cannot be used: \(error).")
    }
  }

  private func answer(_ request: Request) async throws -> Response {
    var rules = AccessRules()
    let mount = "/inspector"
    let rest = String(decoding: request.uri.path.utf8.dropFirst(mount.utf8.count), as: UTF8.self)
    // The files of the page come without the secret, as a browser loads them.
    let isFile = InspectorPage.hasFile(String(rest.dropFirst()))
    rules.token = secret
    if let status = rules.statusOfRefusalByInspector(of: request.head, needsToken: !isFile) {
      return Response(status: status)
    }
    // The client would cut a fragment off, and ask for another path than the one that was checked.
    guard !request.uri.description.utf8.contains(UInt8(ascii: "#")) else {
      return Response(status: .badRequest)
    }
    let target = rest + (request.uri.query.map { "?" + $0 } ?? "")
    let response: HTTPClientResponse
    do {
      response = try await client.send(target)
    } catch is ToolFailure {
      return Response(status: .badGateway)
    }
    var fields = HTTPFields()
    let own = ["connection", "transfer-encoding", "content-length", "keep-alive", "date", "server"]
    for (name, value) in response.headers where !own.contains(name.lowercased()) {
      if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
    }
    return Response(
      status: HTTPResponse.Status(code: Int(response.status.code)), headers: fields,
      body: ResponseBody(asyncSequence: response.body))
  }
}
