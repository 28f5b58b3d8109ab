/// How many changes an event has, by kind.
struct ChangeCounts: Sendable {
  var deletions = 0
  var insertions = 0
  var modifications = 0
  var moves = 0
}

/// An event whose changes can be counted.
protocol CountedChange {
  /// Nil for a first event and for an error.
  var counts: ChangeCounts? { get }
}

extension CollectionChange: CountedChange {
  var counts: ChangeCounts? {
    changes.map {
      ChangeCounts(
        deletions: $0.deletions.count, insertions: $0.insertions.count,
        modifications: $0.modifications.count, moves: $0.moves.count)
    }
  }
}

extension SectionedChange: CountedChange {
  var counts: ChangeCounts? {
    changes.map {
      ChangeCounts(
        deletions: $0.deletions.count, insertions: $0.insertions.count,
        modifications: $0.modifications.count, moves: $0.moves.count)
    }
  }
}

extension ValueChange: CountedChange {
  var counts: ChangeCounts? { if case .change = self { ChangeCounts(modifications: 1) } else { nil } }
}

extension ObjectChange: CountedChange {
  var counts: ChangeCounts? {
    switch self {
    case .change: ChangeCounts(modifications: 1)
    case .deleted: ChangeCounts(deletions: 1)
    case .inserted: ChangeCounts(insertions: 1)
    case .initial, .error: nil
    }
  }
}

extension Result: CountedChange where Failure == StoreError {
  // A value of `values(of:)`, which replaces another.
  var counts: ChangeCounts? { if case .success = self { ChangeCounts(modifications: 1) } else { nil } }
}
