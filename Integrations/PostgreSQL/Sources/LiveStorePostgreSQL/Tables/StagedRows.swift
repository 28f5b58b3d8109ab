import Dispatch
import LiveStore
import Synchronization

/// Rows of a copy, on their way from the task that decodes them to the thread that inserts them.
///
/// State: guarded by its mutex. Each piece gives a signal, and so does the end. One thread takes, and waits for a signal each
/// time; where it then finds no piece, all were taken, and the signal was that of the end.
package final class StagedRows<Element: Sendable>: Sendable {
  private struct State {
    var pieces: [[Element]] = []
    var failure: (any Error)?
  }

  private let state = Mutex(State())
  private let changes = DispatchSemaphore(value: 0)

  package init() {}

  package func append(_ piece: [Element]) {
    state.withLock { $0.pieces.append(piece) }
    changes.signal()
  }

  /// Ends the rows.
  ///
  /// - Parameter failure: why there are no more of them, if these are not all. Those that were not taken are left.
  package func end(_ failure: (any Error)?) {
    state.withLock { $0.failure = failure }
    changes.signal()
  }

  /// Why the rows ended before all had come.
  package var failure: (any Error)? { state.withLock { $0.failure } }

  /// The next piece; nil at the end, after which there must be no other call. It blocks this thread until one has come.
  fileprivate func take() -> [Element]? {
    changes.wait()
    return state.withLock { state in
      state.failure != nil || state.pieces.isEmpty ? nil : state.pieces.removeFirst()
    }
  }

  /// All rows, in order, once. It blocks where the next one has not come.
  ///
  /// It is for `insert(contentsOf:)` alone, which makes room for the ids of as many rows as a sequence says it has at least,
  /// and gives up what was too much; anything else would rely on that number.
  ///
  /// - Parameter count: about how many there are.
  package func sequence(expecting count: Int) -> some Sequence<Element> {
    StagedSequence(rows: self, underestimatedCount: count)
  }
}

private struct StagedSequence<Element: Sendable>: Sequence {
  let rows: StagedRows<Element>
  let underestimatedCount: Int

  func makeIterator() -> Iterator { Iterator(rows: rows) }

  struct Iterator: IteratorProtocol {
    let rows: StagedRows<Element>
    private var piece: [Element] = []
    private var position = 0
    private var isAtEnd = false

    init(rows: StagedRows<Element>) { self.rows = rows }

    mutating func next() -> Element? {
      while position == piece.count {
        if isAtEnd { return nil }
        // The piece before is freed while the next one is waited for.
        (piece, position) = ([], 0)
        if let next = rows.take() { piece = next } else { isAtEnd = true }
      }
      position += 1
      return piece[position - 1]
    }
  }
}
