import Foundation

/// Decodes the pieces of a table's copy, several at once, and keeps their order. Used by one task.
///
/// Decoding takes longer than the server takes to send, so it is shared among processors. A decoder that is to get a piece
/// first gives up the rows of its last one; pieces go to the decoders in turn, so rows come in their order.
final class StagedCopy {
  private let reader: any RowReader
  private let isBinary: Bool
  private var binary: CopyBinaryParser
  private var text: CopyTextParser
  private let decoders: [PieceDecoder]
  /// What each decoder does.
  private var tasks: [Task<Void, any Error>?]
  /// The number of pieces so far.
  private var count = 0
  /// The row for which a piece could not be decoded.
  private(set) var lastRefused: (id: RowID?, value: RefusedValue) = (nil, .none)

  /// - Parameters:
  ///   - reader: gets the rows.
  ///   - makeReader: makes another reader of the same rows.
  init(
    _ reader: any RowReader, _ table: PublishedTable, isBinary: Bool, _ makeReader: () throws -> any RowReader
  ) throws {
    (self.reader, self.isBinary) = (reader, isBinary)
    binary = CopyBinaryParser(columnCount: table.columns.count, table: "\(table.name)")
    text = CopyTextParser(columnCount: table.columns.count, table: "\(table.name)")
    decoders = try (0..<min(4, max(1, ProcessInfo.processInfo.activeProcessorCount))).map { _ in
      PieceDecoder(reader: try makeReader())
    }
    tasks = Array(repeating: nil, count: decoders.count)
  }

  /// Takes a piece, which is decoded while others come.
  ///
  /// - Returns: how many rows were decoded so far.
  func append(_ bytes: [UInt8]) async throws -> Int {
    if isBinary { binary.append(bytes) } else { text.append(bytes) }
    let rows = try isBinary ? binary.takeRows() : text.takeRows()
    if rows.count > 0 {
      let number = count % decoders.count
      try await collect(number)
      let decoder = decoders[number]
      tasks[number] = Task.detached { try decoder.reader.stage(rows) }
      count += 1
    }
    return reader.stagedCount
  }

  /// Checks that all was read, and waits until it is decoded.
  ///
  /// - Returns: how many rows there are.
  func finish() async throws -> Int {
    if isBinary { try binary.finish() } else { try text.finish() }
    for number in count..<count + decoders.count { try await collect(number % decoders.count) }
    return reader.stagedCount
  }

  /// Takes the rows of a decoder's last piece.
  private func collect(_ number: Int) async throws {
    guard let task = tasks[number] else { return }
    tasks[number] = nil
    let decoder = decoders[number].reader
    do {
      try await task.value
    } catch {
      lastRefused = decoder.lastRefused
      throw error
    }
    do {
      try reader.takeStaged(from: decoder)
    } catch {
      lastRefused = reader.lastRefused
      throw error
    }
  }
}

/// Decodes one piece at a time.
///
/// Sendable without a check, as one task at a time uses it: each piece is waited for before the next one is given.
private struct PieceDecoder: @unchecked Sendable {
  let reader: any RowReader
}
