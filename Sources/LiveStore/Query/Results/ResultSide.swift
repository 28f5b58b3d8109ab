/// One side of a difference: a window, and the tables of its rows.
package struct ResultSide: Sendable {
  package let state: StoreState
  package let window: ResultWindow
  /// The version at which it was delivered. The state may be a later one that does not differ in these rows.
  package let version: Version
  /// The sections of the window's rows, if there are any.
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
