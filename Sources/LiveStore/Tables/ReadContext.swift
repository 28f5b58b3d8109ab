import Synchronization

/// What an expression may read besides its own row: all tables at one version.
@usableFromInline
package struct ReadContext: Sendable {
  @usableFromInline package let catalog: Catalog
  @usableFromInline package let tables: [TableState]

  /// The version of the tables; for tables outside any version, a number that no other context has.
  package let version: UInt64

  /// The rows around the one that is read, where a condition on linked objects or elements is tested.
  package private(set) var outer: OuterRow?

  /// The evaluation that reads, if it may end early or remembers answers.
  package private(set) var run: FilterRun?

  package init(catalog: Catalog, tables: [TableState], version: UInt64) {
    self.catalog = catalog
    self.tables = tables
    self.version = version
  }

  /// For expressions that read only their own row.
  package static let none = ReadContext(catalog: .empty, tables: [], version: 0)
}

/// How many contexts of tables outside any version there have been.
private let unnumbered = Atomic<UInt64>(0)

extension ReadContext {
  /// Tables outside any version: inside a transaction, or with some commits left out. Values read in them get
  /// stamps of their own (V1).
  static func unnumbered(_ catalog: Catalog, _ tables: [TableState]) -> ReadContext {
    let number = LiveStore.unnumbered.add(1, ordering: .relaxed).newValue
    return ReadContext(catalog: catalog, tables: tables, version: number | unnumberedBit)
  }

  private static let unnumberedBit: UInt64 = 1 << 62

  /// Whether these are the tables of a version, in which every link leads to an existing object.
  var isCommitted: Bool { version & ReadContext.unnumberedBit == 0 }
}

extension ReadContext {
  /// Whether the evaluation that reads is limited.
  @usableFromInline
  package var isLimited: Bool { run?.isLimited ?? false }

  /// Whether to go on with work that may take long for one row.
  @usableFromInline
  package func goesOn() -> Bool { run?.goesOn() ?? true }

  /// The context for the reads of an evaluation.
  func running(_ run: FilterRun?) -> ReadContext {
    guard let run else { return self }
    var context = self
    context.run = run
    return context
  }

  /// The same context; where there is no evaluation and answers are to be remembered, with a new one.
  func remembering(_ remembers: Bool) -> ReadContext {
    remembers && run == nil ? running(FilterRun()) : self
  }

  /// The context of a row's linked objects or elements, whose conditions may read the row itself (B2).
  func inside(_ row: UnsafeRawPointer) -> ReadContext {
    var context = self
    context.outer = OuterRow(row, around: outer)
    return context
  }

  /// The row that is some levels further out, with its own context.
  func around(_ levels: Int) -> (row: UnsafeRawPointer, context: ReadContext) {
    var context = self
    var row: UnsafeRawPointer?
    for _ in 0..<levels {
      row = outer(of: &context)
    }
    guard let row else { preconditionFailure("a condition reads a row around it, and is tested without one") }
    return (row, context)
  }

  private func outer(of context: inout ReadContext) -> UnsafeRawPointer? {
    guard let outer = context.outer else { return nil }
    context.outer = outer.next
    return outer.row
  }
}

/// The row to which linked objects or elements belong, while a condition is tested on these; and the rows around it.
///
/// Proof of sendability: nothing changes, and the pointer is read only during the test for which it was made, while the
/// caller keeps the row alive.
package final class OuterRow: @unchecked Sendable {
  let row: UnsafeRawPointer
  /// The row around this one.
  let next: OuterRow?

  init(_ row: UnsafeRawPointer, around next: OuterRow?) { (self.row, self.next) = (row, next) }
}
