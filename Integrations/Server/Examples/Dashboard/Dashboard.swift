import Foundation
import Hummingbird
import LiveStore
import LiveStoreSQLite
import LiveStoreServer
import NIOCore

/// A sale: a row of the table.
struct Sale: Entity, Codable {
  let id: Int
  var product: String
  var amount: Int

  static let schema = Schema<Sale> {
    \.product
    \.amount
  }
}

/// What all sales of a product are together.
struct Total: Entity, Codable {
  let id: String
  var sales = 0
  var amount = 0

  static let schema = Schema<Total> {
    \.sales
    \.amount
  }
}

/// Shows sales in a page, live, and holds them in a file. Each line of the input, as `tea 3`, is a sale.
@main
struct Dashboard {
  static func main() async {
    do {
      try await run()
    } catch {
      // Such as a port that another program has.
      FileHandle.standardError.write(Data("dashboard: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count > 1, let port = Int(arguments.count > 2 ? arguments[2] : "4322") else {
      print("usage: dashboard FILE [PORT]")
      exit(2)
    }
    let file = try await StoreFile.open(at: URL(filePath: arguments[1]), Sale.self, Total.self)
    let server = try StoreServer(file.store) {
      Expose(Sale.self, fields: [\.product, \.amount])
      Expose(Total.self, fields: [\.sales, \.amount])
    }
    let router = Router()
    server.addRoutes(to: router)
    router.get("/") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.index_html)))
    }
    let app = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        say("http://127.0.0.1:\(channel.localAddress?.port ?? port)/")
      })
    let sales = Task { await read(into: file) }
    try await app.runService()
    sales.cancel()
    try await file.close()
  }

  /// Writes the sales of the input, and says of each when it is in the file.
  private static func read(into file: StoreFile) async {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    // Reading blocks its thread.
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
    }
    for await line in lines {
      let words = line.split(separator: " ")
      guard words.count == 2, let amount = Int(words[1]) else {
        say("no sale, as \"tea 3\": \(JSONValue.string(line))")
        continue
      }
      let product = String(words[0])
      do {
        // Returns when it would survive a crash.
        let id = try await file.write { tx in
          let last = tx.fetch(Sale.all.sorted(by: \.id, .descending).limit(1)).first
          let sale = Sale(id: (last?.id ?? 0) + 1, product: product, amount: amount)
          try tx.insert(sale)
          var total = tx[Total.self, product] ?? Total(id: product)
          total.sales += 1
          total.amount &+= amount
          try tx.upsert(total)
          return sale.id
        }
        say("sale \(id) is in the file")
      } catch {
        say("\(error)")
      }
    }
  }
}

/// Writes a line at once: flushing all files would wait for the one that is read.
private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
