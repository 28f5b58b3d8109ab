import ArgumentParser
import Foundation
import NIOCore
import NIOPosix

/// The clients: each follows a query, and goes on where it was when its stream ends.
struct Clients: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "The clients; the other commands run it.")

  @Option var port: Int
  @Option var clients: Int
  @Option var queries: Int

  func run() async throws {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let tally = Tally()
    for number in 0..<clients {
      try await Follower.connect(
        "/streams/Reading?where=group%20%3D%3D%20\(number % queries)&live=sse", port, loop, tally)
    }
    while try await loop.submit({ tally.ready < clients }).get() {
      try await Task.sleep(for: .milliseconds(10))
    }
    print("ready")
    fflush(nil)
    _ = readLine()
    print(try await loop.submit { tally.summary }.get())
    fflush(nil)
  }
}

/// What all clients got.
///
/// State: all of it is used on the one event loop of the clients.
final class Tally: @unchecked Sendable {
  // The event loop of the clients alone uses it, in `submit` and in channel handlers.
  var ready = 0
  private var rows = 0
  private var reconnections = 0
  private let start = monotonicNanoseconds()
  /// Deliveries by their time in units of ten microseconds.
  private var times = [Int](repeating: 0, count: 1_000_000)

  func add(writtenAt time: Int, now: Int) {
    guard time >= start else { return }
    rows += 1
    times[min(max(0, now - time) / 10_000, times.count - 1)] += 1
  }

  func addReconnection() { reconnections += 1 }

  var summary: String {
    "\(rows) rows, p50 \(percentile(0.5)) ms, p99 \(percentile(0.99)) ms, longest \(percentile(1)) ms, "
      + "\(reconnections) connections made again"
  }

  private func percentile(_ part: Double) -> Double {
    var rest = Int((Double(rows) * part).rounded(.up))
    for (time, count) in times.enumerated() where count > 0 {
      rest -= count
      if rest <= 0 { return Double(time) / 100 }
    }
    return 0
  }
}

/// One client.
///
/// State: all of it is its event loop's.
private final class Follower: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let target: String
  private let port: Int
  private let tally: Tally
  private var offset: String
  private var isReady: Bool
  /// The part of an event that has come.
  private var buffer: [UInt8] = []

  private init(_ target: String, _ port: Int, _ tally: Tally, offset: String, isReady: Bool) {
    (self.target, self.port, self.tally, self.offset) = (target, port, tally, offset)
    self.isReady = isReady
  }

  static func connect(_ target: String, _ port: Int, _ loop: any EventLoop, _ tally: Tally) async throws {
    _ = try await bootstrap(target, port, loop, tally, "-1", isReady: false)
      .connect(host: "127.0.0.1", port: port).get()
  }

  private static func bootstrap(
    _ target: String, _ port: Int, _ loop: any EventLoop, _ tally: Tally, _ offset: String, isReady: Bool
  ) -> ClientBootstrap {
    ClientBootstrap(group: loop).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(
          Follower(target, port, tally, offset: offset, isReady: isReady))
      }
    }
  }

  func channelActive(context: ChannelHandlerContext) {
    let request = "GET \(target)&offset=\(offset) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let now = monotonicNanoseconds()
    let bytes = unwrapInboundIn(data)
    buffer.append(contentsOf: bytes.readableBytesView)
    // What is complete is searched; the rest waits for more.
    guard let end = buffer.lastIndex(of: UInt8(ascii: "\n")) else { return }
    search(for: "\"at\":", through: end) {
      tally.add(writtenAt: Self.number(buffer, $0), now: now)
    }
    search(for: "streamNextOffset\":\"", through: end) { start in
      offset = String(decoding: buffer[start...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
      if !isReady { tally.ready += 1 }
      isReady = true
    }
    buffer.removeFirst(end + 1)
  }

  private func search(for mark: StaticString, through end: Int, _ body: (Int) -> Void) {
    let count = mark.utf8CodeUnitCount
    let found = buffer.withUnsafeBytes { bytes in
      var found: [Int] = []
      guard let base = bytes.baseAddress, end + 1 >= count else { return found }
      // Each comparison is of bytes within the buffer.
      for index in 0...end + 1 - count
      where base.load(fromByteOffset: index + 1, as: UInt8.self) == mark.utf8Start[1] {
        if memcmp(base + index, mark.utf8Start, count) == 0 { found.append(index + count) }
      }
      return found
    }
    for start in found { body(start) }
  }

  private static func number(_ bytes: [UInt8], _ start: Int) -> Int {
    var number = 0
    for byte in bytes[start...] {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return number
  }

  func channelInactive(context: ChannelHandlerContext) {
    tally.addReconnection()
    Self.bootstrap(target, port, context.eventLoop, tally, offset, isReady: isReady)
      .connect(host: "127.0.0.1", port: port)
      .whenFailure { error in fatalError("a client cannot connect again: \(error)") }
  }
}

/// The process of the clients.
struct ClientProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(port: Int, clients: Int, queries: Int) throws {
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = [
      "clients", "--port", "\(port)", "--clients", "\(clients)", "--queries", "\(queries)",
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Waits until each client is up to date.
  func ready() async throws {
    guard try await line() == "ready" else { throw Failure.noClients }
  }

  enum Failure: Error { case noClients }

  /// Ends it.
  ///
  /// - Returns: what the clients got.
  func finish(seconds: Double) async throws -> String {
    input.fileHandleForWriting.write(Data("\n".utf8))
    let text = try await line()
    process.waitUntilExit()
    return "delivered in \(seconds) s: \(text)"
  }

  private func line() async throws -> String {
    let handle = output.fileHandleForReading
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var bytes: [UInt8] = []
        while let byte = handle.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
      }
    }
  }
}

/// Requests whose answers are read and counted.
enum HTTPClient {
  /// Reads the answer to a request.
  ///
  /// - Returns: how many bytes it has.
  static func size(of target: String, port: Int) async throws -> Int {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(
        ByteBuffer(string: "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
      var size = 0
      for try await bytes in inbound { size += bytes.readableBytes }
      return size
    }
  }
}
