/// One side of a difference: a window and the tables its rows are in.
package struct ResultSide: Sendable {
  package let state: StoreState
  package let window: ResultWindow
  /// The version it was given at; the state may be a later one in which nothing of it differs.
  package let version: Version
  /// The sections of the window's rows, where it has any.
  package let sections: ResultWindow?

  package init(
    _ state: StoreState, _ window: ResultWindow, sections: ResultWindow? = nil, version: Version? = nil
  ) {
    self.state = state
    self.window = window
    self.sections = sections
    self.version = version ?? state.version
  }

  package var context: ReadContext { state.context }
  package func object(_ row: UInt64) -> UnsafeRawPointer { context.tables[window.table].existing(row) }
  package func object(at position: Int) -> UnsafeRawPointer { object(window.row(at: position)) }
}
