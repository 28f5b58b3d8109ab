import AsyncHTTPClient
import Foundation
import HTTPTypes
import LiveStoreFollower
import LiveStoreServer
import NIOCore
import NIOHTTP1
import NIOPosix

/// Reads an inspector over HTTP.
struct InspectorClient: Sendable {
  let address: InspectorAddress
  let token: String?
  private let http: HTTPClient

  /// The largest state that is read.
  private static let largestState = 64 << 20

  init(_ address: InspectorAddress, token: String?) {
    (self.address, self.token) = (address, token)
    var configuration = HTTPClient.Configuration()
    configuration.timeout.connect = .seconds(2)
    // The server sends something every five seconds.
    configuration.timeout.read = .seconds(20)
    configuration.redirectConfiguration = .disallow
    http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  func close() async { try? await http.shutdown() }

  /// Sends a request.
  ///
  /// - Throws: a `ToolFailure` if the server cannot be reached.
  func send(_ target: String) async throws -> HTTPClientResponse {
    var request = HTTPClientRequest(url: address.url + target)
    if address.isSocket { request.headers.replaceOrAdd(name: "Host", value: "localhost") }
    if let token { request.headers.replaceOrAdd(name: "Authorization", value: "Bearer " + token) }
    do {
      return try await http.execute(request, deadline: .distantFuture)
    } catch let error as CancellationError {
      throw error
    } catch {
      try Task.checkCancellation()
      throw ToolFailure.server("\(address.name) cannot be reached: \(Self.reason(error)).")
    }
  }

  /// Why a connection failed, in the system's words where it has some.
  private static func reason(_ error: any Error) -> String {
    let error = (error as? NIOConnectionError)?.connectionErrors.first?.error ?? error
    return (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
  }

  private func body(_ target: String) async throws -> HTTPClientResponse.Body {
    let response = try await send(target)
    switch response.status {
    case .ok: return response.body
    case .unauthorized:
      throw ToolFailure.access("\(address.name) needs a token: see --token-file.")
    case .notFound where target == "/state" || target == "/events":
      throw ToolFailure.server(
        "\(address.name) has no inspector. In the app, set configuration.inspector = StoreInspector().")
    default:
      let text = try? await response.body.collect(upTo: 65_536)
      let error = text.flatMap { try? JSONDecoder().decode(ErrorBody.self, from: Data($0.readableBytesView)) }
      var failure = ToolFailure.server(
        error?.error.message ?? "\(address.name) answers with the status \(response.status.code).")
      let code = response.status.code
      failure.isLasting = (400..<500).contains(code) && code != 408 && code != 429
      throw failure
    }
  }

  /// The body of a refusal.
  private struct ErrorBody: Decodable {
    struct Content: Decodable { var message: String }
    var error: Content
  }

  /// The state of now.
  func state() async throws -> InspectorState {
    try Self.state(try await text("/state").readableBytesView)
  }

  /// The state of now, as JSON.
  func text(_ target: String) async throws -> ByteBuffer {
    let body = try await body(target)
    do {
      return try await body.collect(upTo: Self.largestState)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw ToolFailure.server("\(address.name) does not answer to the end: \(error).")
    }
  }

  private static func state(_ text: some DataProtocol) throws -> InspectorState {
    do {
      return try InspectorState(text)
    } catch {
      throw ToolFailure.server(
        "The server's state cannot be read. It may be of another version of LiveStore.")
    }
  }

  /// Gives each new state until the server ends the stream.
  func states(_ give: @Sendable (InspectorState) async -> Void) async throws {
    try await events("/events") { event in
      if event.name == "state" { await give(try Self.state(event.data)) }
    }
  }

  /// Gives the rows of an entity each time that they are up to date, until the server ends the stream.
  ///
  /// - Parameter filter: a text filter; empty for none.
  func rows(
    _ entity: String, filter: String, limit: Int, _ give: @Sendable ([StreamRows.Row]) async -> Void
  ) async throws {
    var target = "/streams/\(Self.escaped(entity))?offset=-1&live=sse&limit=\(limit)"
    if !filter.isEmpty { target += "&where=" + Self.escaped(filter) }
    var rows = StreamRows()
    try await events(target) { event in
      switch event.name {
      case "data":
        try rows.apply(try JSONDecoder().decode([StreamMessage].self, from: Data(event.data)))
      case "control": await give(rows.rows)
      case "error":
        let error = try? JSONDecoder().decode(ErrorBody.self, from: Data(event.data))
        throw ToolFailure.server(error?.error.message ?? "The server has ended the rows.")
      default: break
      }
    }
  }

  private static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  private typealias Event = (name: String, data: [UInt8])

  private func events(_ target: String, _ give: (Event) async throws -> Void) async throws {
    // No event has this name, so each is collected.
    var parser = EventParser(streaming: "\n", limit: Self.largestState)
    do {
      for try await part in try await body(target) {
        var events: [Event] = []
        try parser.read(Array(part.readableBytesView)) { piece in
          if case .event(let name, let data) = piece { events.append((name, data)) }
        }
        for event in events { try await give(event) }
      }
    } catch let error as FollowerError {
      throw ToolFailure.server("\(address.name) cannot be understood: \(error.message)")
    } catch let error as HTTPClientError {
      throw ToolFailure.server("\(address.name) does not answer any more: \(error).")
    }
  }
}
