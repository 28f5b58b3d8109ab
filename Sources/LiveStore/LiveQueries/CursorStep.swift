/// What a cursor finds when it asks.
package enum CursorStep: Sendable {
  /// The first results.
  case initial([ResultSide])
  /// What it had and what there is now.
  case update([(old: ResultSide, new: ResultSide)])
  /// Nothing since it last asked.
  case none
  /// There will be nothing more.
  case ended
  case failed(StoreError)

  /// The version it leads to.
  var version: Version? {
    switch self {
    case .initial(let sides): sides.first?.state.version
    case .update(let sides): sides.first?.new.state.version
    case .none, .ended, .failed: nil
    }
  }
}
