import Foundation
import LiveStore
import Synchronization
import Testing

/// A server that answers each connection with the next of some texts, whatever is asked, and then closes it.
///
/// State: the answers that are left and the requests that came, guarded by their mutex.
final class ScriptedServer: Sendable {
  private let listener: Int32
  private let port: Int
  private let state: Mutex<(answers: [String], targets: [String])>

  /// - Parameter answers: the answers; the last one is given again and again.
  init(_ answers: [String]) throws {
    state = Mutex((answers, []))
    listener = try Sockets.listener()
    port = try Sockets.port(of: listener)
    let listener = listener
    Thread.detachNewThread { [weak self] in
      while case let client = accept(listener, nil, nil), client >= 0 {
        self?.answer(client)
        shutdown(client, Int32(SHUT_RDWR))
        close(client)
      }
    }
  }

  deinit { end() }

  var url: URL { get throws { try #require(URL(string: "http://localhost:\(port)")) } }

  /// What was asked for, in order.
  var targets: [String] { state.withLock { $0.targets } }

  func end() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func answer(_ client: Int32) {
    var (request, buffer) = ("", [UInt8](repeating: 0, count: 4_096))
    while !request.contains("\r\n\r\n") {
      let count = buffer.withUnsafeMutableBytes { recv(client, $0.baseAddress, $0.count, 0) }
      if count <= 0 { return }
      request += String(decoding: buffer[..<count], as: UTF8.self)
    }
    let answer = state.withLock { state in
      state.targets.append(request.components(separatedBy: " ").dropFirst().first ?? "")
      return state.answers.count > 1 ? state.answers.removeFirst() : state.answers.first ?? ""
    }
    var rest = Array(answer.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }

  /// A stream of events that ends with the connection.
  static func events(_ events: String...) -> String {
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + events.joined()
  }

  static func data(_ messages: String...) -> String {
    "event: data\ndata: [\(messages.joined(separator: ","))]\n\n"
  }
}
