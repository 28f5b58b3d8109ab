import Foundation
import LiveStore
import LiveStoreServer
import Testing

@Suite("A deployment")
struct DeploymentTests {
  private enum Old {
    struct Reading: Entity, Codable {
      let id: Int
      var value: Int
      static let schema = Schema<Reading> { \.value }
    }
  }

  private enum New {
    struct Reading: Entity, Codable {
      let id: Int
      var value: Double
      static let schema = Schema<Reading> { \.value }
    }
  }

  @Test(
    "that changes a field's type resets its clients, and one that does not goes on", arguments: [false, true])
  func fieldType(isWhole: Bool) async throws {
    let old = try await fingerprint(
      try Store(Old.Reading.self),
      isWhole ? Expose(Old.Reading.self) : Expose(Old.Reading.self, fields: [\.value]))
    let store = try Store(New.Reading.self)
    let new: Expose<Anonymous> =
      isWhole ? Expose(New.Reading.self) : Expose(New.Reading.self, fields: [\.value])
    let before = try await fingerprint(store, new)
    try await TestServer.with(try StoreServer(store, logger: .silent) { new }) { server in
      let expected: [(UInt64, [StreamMessage.Control?])] = [
        (before, []), (old, [.reset, .snapshotStart, .snapshotEnd]),
      ]
      for (fingerprint, controls) in expected {
        let offset = StreamOffset(store.identity, fingerprint, store.version)
        let reply = try await server.request("/streams/Reading?offset=\(offset)")
        #expect(try reply.messages.map(\.headers.control) == controls)
      }
    }
  }

  /// What offsets of a server have that shows something of a store.
  private func fingerprint(_ store: Store, _ exposure: Expose<Anonymous>) async throws -> UInt64 {
    let offsets = AsyncStream<String>.makeStream()
    try await TestServer.with(try StoreServer(store, logger: .silent) { exposure }) { server in
      offsets.continuation.yield(try await server.request("/streams/Reading").nextOffset)
    }
    var iterator = offsets.stream.makeAsyncIterator()
    return try #require(StreamOffset(await iterator.next() ?? "")).fingerprint
  }
}
