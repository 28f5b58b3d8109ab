import Dispatch
import Synchronization

/// Rows of a copy, on their way from the task that decodes them to the thread that inserts them.
///
/// State: guarded by its mutex. One thread takes, and waits for a signal before it looks; each change gives one, so there
/// never are fewer signals than changes that it has not seen.
final class StagedRows<Element: Sendable>: Sendable {
  private struct State {
    var pieces: [[Element]] = []
    var isEnded = false
    var failure: (any Error)?
  }

  private let state = Mutex(State())
  private let changes = DispatchSemaphore(value: 0)

  func append(_ piece: [Element]) {
    state.withLock { $0.pieces.append(piece) }
    changes.signal()
  }

  /// Ends the rows.
  ///
  /// - Parameter failure: why there are no more of them, if that are not all.
  func end(_ failure: (any Error)?) {
    state.withLock { ($0.isEnded, $0.failure) = (true, failure) }
    changes.signal()
  }

  /// Why the rows ended before all had come.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// The pieces that have come; nil at the end. It blocks this thread until there are some.
  fileprivate func take() -> [[Element]]? {
    while true {
      changes.wait()
      let (pieces, isEnded) = state.withLock { state in
        defer { state.pieces = [] }
        return (state.failure == nil ? state.pieces : [], state.isEnded)
      }
      if !pieces.isEmpty { return pieces }
      if isEnded { return nil }
    }
  }

  /// All rows, in order, once. It blocks where the next one has not come.
  ///
  /// - Parameter count: how many there may be. A store makes room for the ids of about as many, and gives up what was too
  ///   much.
  func sequence(expecting count: Int) -> some Sequence<Element> {
    StagedSequence(rows: self, underestimatedCount: count)
  }
}

private struct StagedSequence<Element: Sendable>: Sequence {
  let rows: StagedRows<Element>
  let underestimatedCount: Int

  func makeIterator() -> Iterator { Iterator(rows: rows) }

  struct Iterator: IteratorProtocol {
    let rows: StagedRows<Element>
    private var pieces: [[Element]] = []
    private var nextPiece = 0
    private var piece: [Element] = []
    private var position = 0
    private var isAtEnd = false

    init(rows: StagedRows<Element>) { self.rows = rows }

    mutating func next() -> Element? {
      while position == piece.count {
        if !advance() { return nil }
      }
      position += 1
      return piece[position - 1]
    }

    /// Goes on to the next piece, and frees the one before.
    private mutating func advance() -> Bool {
      (piece, position) = ([], 0)
      if nextPiece == pieces.count, !isAtEnd {
        (pieces, nextPiece) = (rows.take() ?? [], 0)
        isAtEnd = pieces.isEmpty
      }
      if isAtEnd { return false }
      swap(&piece, &pieces[nextPiece])
      nextPiece += 1
      return true
    }
  }
}
